/** What axe-core finds wrong with a page for people who cannot see it, or use no mouse. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'

export interface Finding {
  rule: string
  impact: string
  elements: string[]
}

/** By WCAG 2.2 A and AA, and what axe recommends. */
const everything = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Serious and critical findings; `rules` are those that are asked for instead of all of them. */
export async function findingsOf(page: Page, rules?: string[]): Promise<Finding[]> {
  const isThere = await page.evaluate(() => 'axe' in window)
  if (!isThere) await page.evaluate(axe.source)
  const options = {
    runOnly: rules ? { type: 'rule', values: rules } : { type: 'tag', values: everything },
    resultTypes: ['violations'],
    elementRef: false,
  }
  const { violations } = (await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`)) as axe.AxeResults
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, impact, nodes }) => ({ rule: id, impact: impact ?? '', elements: nodes.map(({ html, any }) => html + JSON.stringify(any[0]?.data)) }))
}

/** Until everything has the colours of the theme. */
async function inTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  await page.waitForFunction((wanted) => document.documentElement.dataset.theme === wanted, theme)
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
}

/** The same in both themes; what has nothing to do with colours is asked once. */
export async function findingsInBothThemes(page: Page): Promise<Record<'light' | 'dark', Finding[]>> {
  await inTheme(page, 'light')
  const light = await findingsOf(page)
  await inTheme(page, 'dark')
  const dark = await findingsOf(page, ['color-contrast'])
  return { light, dark }
}
