/** What axe-core finds wrong with a page for people who cannot see it, or use no mouse. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { isCrowded } from './crowded.ts'

export interface Finding {
  rule: string
  impact: string
  elements: string[]
}

export interface Findings {
  light: Finding[]
  dark: Finding[]
}

/** By WCAG 2.2 A and AA, and what axe recommends. */
const everything = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Rules whose findings axe never calls serious or critical. A rule that it gets some day is asked. */
const neverSerious = [
  'aria-allowed-role',
  'aria-deprecated-role',
  'empty-heading',
  'empty-table-header',
  'form-field-multiple-labels',
  'heading-order',
  'html-xml-lang-mismatch',
  'image-redundant-alt',
  'landmark-banner-is-top-level',
  'landmark-complementary-is-top-level',
  'landmark-contentinfo-is-top-level',
  'landmark-main-is-top-level',
  'landmark-no-duplicate-banner',
  'landmark-no-duplicate-contentinfo',
  'landmark-no-duplicate-main',
  'landmark-one-main',
  'landmark-unique',
  'meta-viewport',
  'meta-viewport-large',
  'no-autoplay-audio',
  'page-has-heading-one',
  'presentation-role-conflict',
  'region',
  'scope-attr-valid',
  'server-side-image-map',
  'skip-link',
  'table-duplicate-name',
]

const lean: axe.RunOptions = { resultTypes: ['violations'], preload: false, iframes: false, selectors: false }
const without = (...rules: string[]) => Object.fromEntries(rules.map((rule) => [rule, { enabled: false }]))
const runOnly: axe.RunOnly = { type: 'tag', values: everything }
const ofEverything: axe.RunOptions = { ...lean, runOnly, rules: without(...neverSerious) }
/** Both that look for what lies over what: everything else costs a third of it. */
const [colours, sizes] = ['color-contrast', 'target-size']
const ofAllButColours: axe.RunOptions = { ...lean, runOnly, rules: without(...neverSerious, colours) }
const ofMost: axe.RunOptions = { ...lean, runOnly, rules: without(...neverSerious, colours, sizes) }
const ofColours: axe.RunOptions = { ...lean, runOnly: { type: 'rule', values: ['color-contrast'] } }

/** Runs in the page; elements are its own, a text names them. */
async function run([within, options]: [within: string | null, axe.RunOptions]): Promise<Finding[]> {
  const { axe: found } = window as unknown as { axe: typeof axe }
  const { violations } = await found.run(within ?? document, options)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, impact, nodes }) => ({
      rule: id,
      impact: impact ?? '',
      // more of one kind tell nothing new
      elements: nodes.slice(0, 5).map(({ html, any }) => `${html} ${any[0]?.message ?? ''}`),
    }))
}

/** Texts' colours on their grounds that axe has judged in this process, whatever the page. */
const judged = new Set<string>()

/** Runs in a page: tells it which colours axe has judged. */
function tellJudged(colours: readonly string[]): void {
  Object.assign(window, { coloursJudged: new Set(colours) })
}

/**
 * Runs in the page: puts it in a theme, marks texts whose colours, on the ground that they stand on, have not been judged,
 * and returns these colours. Axe's answer for the others is known.
 */
function markNewColours([theme, within, mark]: [theme: string, within: string | null, mark: string]): string[] {
  const { coloursJudged } = window as unknown as { coloursJudged: Set<string> }
  document.documentElement.dataset.theme = theme
  const grounds = new Map<Element, string>()
  const groundOf = (element: Element): string => {
    const known = grounds.get(element)
    if (known !== undefined) return known
    const { backgroundColor, backgroundImage, opacity } = getComputedStyle(element)
    const isAll = backgroundColor.startsWith('rgb(') && opacity === '1'
    const beneath = isAll || !element.parentElement ? '' : groundOf(element.parentElement)
    // what cannot be seen, however much of it, is no other ground
    const own = `${backgroundColor} ${backgroundImage} ${opacity}`
    const ground = own === 'rgba(0, 0, 0, 0) none 1' ? beneath : `${own} ${beneath}`
    grounds.set(element, ground)
    return ground
  }
  const added: string[] = []
  for (const element of (document.querySelector(within ?? 'html') ?? document).querySelectorAll('*')) {
    element.removeAttribute(mark)
    const texts = [...element.childNodes].some(({ nodeType, nodeValue }) => nodeType === 3 && nodeValue?.trim())
    if (!texts) continue
    const { color, fontSize, fontWeight } = getComputedStyle(element)
    // as WCAG has it; large text may be paler
    const isLarge = Number.parseFloat(fontSize) >= (Number(fontWeight) >= 700 ? 18.66 : 24)
    const colours = `${theme} ${color} ${isLarge} ${groundOf(element)}`
    if (coloursJudged.has(colours)) continue
    coloursJudged.add(colours)
    element.setAttribute(mark, '')
    added.push(colours)
  }
  return added
}

/** The script, and what is known of colours, is given to a document once. */
async function give(page: Page): Promise<void> {
  if (await page.evaluate(() => 'axe' in window)) return
  await page.evaluate(axe.source)
  await page.evaluate(tellJudged, [...judged])
}

/** Serious and critical findings in a page, or a part of it, as it is now. */
export async function findingsOf(page: Page, within: string | null = null): Promise<Finding[]> {
  await give(page)
  return page.evaluate(run, [within, ofEverything] as [string | null, axe.RunOptions])
}

const mark = 'data-new-colours'

/** The same in both themes, of a page that is in light. That the theme follows the system is another test's. */
export async function findingsInBothThemes(page: Page, within: string | null = null): Promise<Findings> {
  await give(page)
  const ofColoursIn = async (theme: 'light' | 'dark') => {
    const added = await page.evaluate(markNewColours, [theme, within, mark] as [string, string | null, string])
    if (added.length === 0) return []
    const found = await page.evaluate(run, [`[${mark}]`, ofColours] as [string, axe.RunOptions])
    // what is wrong in one place is told of every document
    if (found.length === 0) for (const colours of added) judged.add(colours)
    return found
  }
  const options = (await page.evaluate(isCrowded, within)) ? ofAllButColours : ofMost
  const found = await page.evaluate(run, [within, options] as [string | null, axe.RunOptions])
  const dark = await ofColoursIn('dark')
  const light = await ofColoursIn('light')
  return { light: [...found, ...light], dark }
}
