/**
 * A person whose every click on a button counts twice, in one tick of the page, before anything can be drawn anew. What a
 * button switches to and fro is spared.
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
      // by the keyboard: while that counts as a click, the browser takes no other click on the button
      const isKey = event.detail === 0
      if (isKey && !(button.type === 'submit' && button.form)) return
      event.preventDefault()
      event.stopImmediatePropagation()
      const press = () => (isKey ? button.form?.requestSubmit(button) : button.click())
      // from one listener: behind each listener of an event of the browser's own there is time to draw
      press()
      press()
    },
    { capture: true },
  )
}

/** Makes whoever uses the pages of the context impatient. The writes that were sent while the same was under way. */
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
