/** The buttons of the page that is shown, so that the palette has them as well. */

export interface PageAction {
  title: string
  run: () => void
}

const inHeader = 'main .page-actions :is(button, a)'

/** What the header of the page offers now. */
export function pageActions(): PageAction[] {
  return [...document.querySelectorAll<HTMLElement>(inHeader)].flatMap((element) => {
    const title = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim()
    const isOff = element.matches(':disabled, [aria-disabled="true"]') || element.closest('dialog') !== null
    return title === '' || isOff ? [] : [{ title, run: () => element.click() }]
  })
}

/** Presses the page's own primary button; false where it has none. */
export function pressPrimary(): boolean {
  const button = document.querySelector<HTMLElement>('main .page-actions .button-primary:not(:disabled)')
  button?.click()
  return button !== null
}
