/**
 * A document for components, in the process of the test. Only what a page needs of it becomes global: `fetch`, `Response`,
 * timers and the like stay the server's own, which may run in the same process. Other test files of the process see no
 * document: `close` takes everything back.
 */
import { Window } from 'happy-dom'

/** Globals that components, React and Testing Library look for. */
const names = [
  'document',
  'navigator',
  'location',
  'History',
  'history',
  'localStorage',
  'sessionStorage',
  'Node',
  'NodeFilter',
  'Element',
  'HTMLElement',
  'HTMLAnchorElement',
  'HTMLButtonElement',
  'HTMLDialogElement',
  'HTMLFormElement',
  'HTMLInputElement',
  'HTMLIFrameElement',
  'HTMLSelectElement',
  'HTMLTextAreaElement',
  'SVGElement',
  'DocumentFragment',
  'Event',
  'CustomEvent',
  'KeyboardEvent',
  'MouseEvent',
  'InputEvent',
  'FocusEvent',
  'MutationObserver',
  'ResizeObserver',
  'IntersectionObserver',
  'DOMRect',
  'DOMMatrixReadOnly',
  'getComputedStyle',
  'getSelection',
  'matchMedia',
  'requestAnimationFrame',
  'cancelAnimationFrame',
  'FormData',
] as const

/** One for the process: React and Testing Library remember the document that they were loaded with. */
const page = new Window({ url: 'http://console.test/', width: 1280, height: 800 })
// it has no popovers: an attribute says which are in the top layer
Object.assign(page.HTMLElement.prototype, {
  showPopover(this: Element) {
    this.setAttribute('data-top-layer', '')
  },
  hidePopover(this: Element) {
    this.removeAttribute('data-top-layer')
  },
})
const own = globalThis as Record<string, unknown>
const fromPage = page as unknown as Record<string, unknown>

// An assertion that fails prints what it was given: of a node its own tag, not the document that hangs on it (a failure
// that \`waitFor\` only tries again would cost seconds).
Object.defineProperty(page.Node.prototype, Symbol.for('nodejs.util.inspect.custom'), {
  value(this: Node) {
    return this.nodeType === 1 ? (this.cloneNode() as Element).outerHTML : `${this.nodeName} ${this.nodeValue ?? ''}`
  },
})

/** What React only logs: elements that a browser moves elsewhere, such as a form in a paragraph, and keys given twice. */
const isFault = (text: unknown) =>
  typeof text === 'string' && /cannot (contain|be a (child|descendant) of)|children with the same key/.test(text)

/** What React notes of an answer of the server that arrives between two steps of a test, as it may at any time. */
const isOfLateAnswer = (text: unknown) => typeof text === 'string' && text.includes('was not wrapped in act(')

/**
 * Puts a document into the process; the function that it answers takes it out again. It throws if React has logged a fault
 * of the page meanwhile.
 */
export function openDom(): () => void {
  const faults: string[] = []
  const log = console.error
  console.error = (...words) => {
    if (isFault(words[0])) faults.push(words.join(' '))
    else if (!isOfLateAnswer(words[0])) log(...words)
  }
  const before = new Map<string, PropertyDescriptor | undefined>()
  const put = (name: string, value: unknown) => {
    before.set(name, Object.getOwnPropertyDescriptor(globalThis, name))
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
  }
  put('window', page)
  for (const name of names) if (fromPage[name] !== undefined) put(name, fromPage[name])
  put('IS_REACT_ACT_ENVIRONMENT', true)
  return () => {
    page.document.body.replaceChildren()
    page.localStorage.clear()
    for (const [name, descriptor] of before) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor)
      else delete own[name]
    }
    console.error = log
    if (faults.length > 0) throw new Error(`React logged faults of the page:\n${faults.join('\n')}`)
  }
}
