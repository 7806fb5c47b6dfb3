/** What axe-core finds wrong with a page for people who cannot see it, or use no mouse. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'

export interface Finding {
  rule: string
  impact: string
  elements: string[]
}

/** More of one kind tell nothing new. */
const elementsMax = 5

/** By WCAG 2.2 A and AA, and what axe recommends. */
const everything = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

export interface Asked {
  /** What of the page; all of it unless said otherwise. */
  within?: string
  /** Those and no others. */
  rules?: string[]
}

/** Serious and critical findings. */
export async function findingsOf(page: Page, { within, rules }: Asked = {}): Promise<Finding[]> {
  const isThere = await page.evaluate(() => 'axe' in window)
  if (!isThere) await page.evaluate(axe.source)
  const options = {
    runOnly: rules ? { type: 'rule', values: rules } : { type: 'tag', values: everything },
    resultTypes: ['violations'],
  }
  const context = within === undefined ? 'document' : JSON.stringify(within)
  const { violations } = (await page.evaluate(`axe.run(${context}, ${JSON.stringify(options)})`)) as axe.AxeResults
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, impact, nodes }) => ({
      rule: id,
      impact: impact ?? '',
      elements: nodes.slice(0, elementsMax).map(({ html, any }) => `${html} ${any[0]?.message ?? ''}`),
    }))
}

/** Until everything has the colours of the theme. */
async function inTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  await page.waitForFunction((wanted) => document.documentElement.dataset.theme === wanted, theme)
}

/** The same in both themes, or in light alone; what has nothing to do with colours is asked once. */
export async function findingsInBothThemes(
  page: Page,
  within?: string,
  themes = { dark: true },
): Promise<Record<'light' | 'dark', Finding[]>> {
  const where = within === undefined ? {} : { within }
  await inTheme(page, 'light')
  const light = await findingsOf(page, where)
  if (!themes.dark) return { light, dark: [] }
  await inTheme(page, 'dark')
  const dark = await findingsOf(page, { ...where, rules: ['color-contrast'] })
  return { light, dark }
}
