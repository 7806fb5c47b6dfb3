/** The accessibility violations that axe-core finds in a page. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { isCrowded } from './crowded.ts'

interface Finding {
  rule: string
  impact: string
  elements: string[]
}

interface Findings {
  light: Finding[]
  dark: Finding[]
}

/** The rules of WCAG 2.2 A and AA, and axe's best practices. */
const everything = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Rules whose findings axe never rates serious or critical. A rule added in the future is run. */
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
/** The two rules that check overlapping elements: all others cost a third of them. */
const [colours, sizes] = ['color-contrast', 'target-size']
const ofAllButColours: axe.RunOptions = { ...lean, runOnly, rules: without(...neverSerious, colours) }
const ofMost: axe.RunOptions = { ...lean, runOnly, rules: without(...neverSerious, colours, sizes) }
const ofColours: axe.RunOptions = { ...lean, runOnly: { type: 'rule', values: ['color-contrast'] } }

/** Runs in the page; a finding names its elements as text. */
async function run([within, options]: [within: string | null, axe.RunOptions]): Promise<Finding[]> {
  const { axe: found } = window as unknown as { axe: typeof axe }
  const { violations } = await found.run(within ?? document, options)
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, impact, nodes }) => ({
      rule: id,
      impact: impact ?? '',
      // more elements of one kind add nothing
      elements: nodes.slice(0, 5).map(({ html, any }) => `${html} ${any[0]?.message ?? ''}`),
    }))
}

/** Pairs of text and background colours that axe has already checked in this process, on any page. */
const judged = new Set<string>()

/** Runs in a page: tells it which colours axe has checked. */
function tellJudged(colours: readonly string[]): void {
  Object.assign(window, { coloursJudged: new Set(colours) })
}

/**
 * Runs in the page: sets the theme, marks texts whose combination of colour and background has not been checked,
 * and returns these combinations. Axe's result for the others is known.
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
    // transparent layers, however many, do not change the background
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
    // as WCAG defines it; large text needs less contrast
    const isLarge = Number.parseFloat(fontSize) >= (Number(fontWeight) >= 700 ? 18.66 : 24)
    const colours = `${theme} ${color} ${isLarge} ${groundOf(element)}`
    if (coloursJudged.has(colours)) continue
    coloursJudged.add(colours)
    element.setAttribute(mark, '')
    added.push(colours)
  }
  return added
}

/** Injects the script and the known colours into a document once. */
async function give(page: Page): Promise<void> {
  if (await page.evaluate(() => 'axe' in window)) return
  await page.evaluate(axe.source)
  await page.evaluate(tellJudged, [...judged])
}

/** Serious and critical findings in a page, or a part of it, in its current state. */
export async function findingsOf(page: Page, within: string | null = null): Promise<Finding[]> {
  await give(page)
  return page.evaluate(run, [within, ofEverything] as [string | null, axe.RunOptions])
}

const mark = 'data-new-colours'

/** The same in both themes, for a page in the light theme. That the theme follows the system is tested elsewhere. */
export async function findingsInBothThemes(page: Page, within: string | null = null): Promise<Findings> {
  await give(page)
  const ofColoursIn = async (theme: 'light' | 'dark') => {
    const added = await page.evaluate(markNewColours, [theme, within, mark] as [string, string | null, string])
    if (added.length === 0) return []
    const found = await page.evaluate(run, [`[${mark}]`, ofColours] as [string, axe.RunOptions])
    // a violation in a shared part is reported for every document
    if (found.length === 0) for (const colours of added) judged.add(colours)
    return found
  }
  const options = (await page.evaluate(isCrowded, within)) ? ofAllButColours : ofMost
  const found = await page.evaluate(run, [within, options] as [string | null, axe.RunOptions])
  const dark = await ofColoursIn('dark')
  const light = await ofColoursIn('light')
  return { light: [...found, ...light], dark }
}
