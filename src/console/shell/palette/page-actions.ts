/** The buttons of the current page, as commands of the palette. */

export interface PageAction {
  title: string
  run: () => void
}

const inHeader = 'main .page-actions :is(button, a)'

/** The enabled buttons in the header of the page. */
export function pageActions(): PageAction[] {
  return [...document.querySelectorAll<HTMLElement>(inHeader)].flatMap((element) => {
    const title = (element.getAttribute('aria-label') ?? element.textContent ?? '').trim()
    const isOff = element.matches(':disabled, [aria-disabled="true"]') || element.closest('dialog') !== null
    return title === '' || isOff ? [] : [{ title, run: () => element.click() }]
  })
}

/** Presses the page's primary button; false if it has none. */
export function pressPrimary(): boolean {
  const button = document.querySelector<HTMLElement>('main .page-actions .button-primary:not(:disabled)')
  button?.click()
  return button !== null
}
