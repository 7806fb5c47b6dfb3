/** What axe-core finds wrong with a page for people who cannot see it, or use no mouse. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'

export interface Finding {
  rule: string
  impact: string
  elements: string[]
}

/** Serious and critical findings by WCAG 2.2 A and AA. */
export async function findingsOf(page: Page): Promise<Finding[]> {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })`,
  )) as axe.AxeResults
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, impact, nodes }) => ({ rule: id, impact: impact ?? '', elements: nodes.map(({ html }) => html) }))
}
