/**
 * A user whose every click on a button is doubled, in one task of the page, before it can render. Buttons that toggle
 * something are excluded.
 */
import type { BrowserContext, Request } from 'playwright-core'

function clickTwice(): void {
  const switches =
    '[aria-expanded], [aria-pressed], [aria-haspopup], [popovertarget], [role="switch"], [role="checkbox"]'
  document.addEventListener(
    'click',
    (event) => {
      const { target, isTrusted } = event
      const button = target instanceof Element ? target.closest('button') : null
      if (!isTrusted || !button || button.disabled || button.matches(switches)) return
      // by keyboard: while that counts as a click, the browser accepts no other click on the button
      const isKey = event.detail === 0
      if (isKey && !(button.type === 'submit' && button.form)) return
      event.preventDefault()
      event.stopImmediatePropagation()
      const press = () => (isKey ? button.form?.requestSubmit(button) : button.click())
      // from one listener: the browser may render after each listener of a native event
      press()
      press()
    },
    { capture: true },
  )
}

/** Doubles clicks in the pages of the context. Returns the writes that were repeated while the same one was in progress. */
export async function makeImpatient(context: BrowserContext): Promise<string[]> {
  await context.addInitScript(clickTwice)
  const repeated: string[] = []
  const underWay = new Map<Request, string>()
  context.on('request', (request) => {
    if (request.method() === 'GET' || request.method() === 'HEAD') return
    const what = `${request.method()} ${request.url()} ${request.postData() ?? ''}`
    if ([...underWay.values()].includes(what)) repeated.push(what)
    underWay.set(request, what)
  })
  context.on('requestfinished', (request) => underWay.delete(request))
  context.on('requestfailed', (request) => underWay.delete(request))
  return repeated
}
