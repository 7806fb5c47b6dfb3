/**
 * The console in the process of a test, against a real server or against answers of the test's own:
 *
 *     const world = await openConsole()                       // a document; a server by `openTroupe` is the test's to open
 *     const { screen, navigate } = await world.show('/o/default/projects', { troupe })
 *     await screen.findByText('No projects yet')
 *     …
 *     await world.close()
 *
 * React and Testing Library are loaded behind the document, so tests take them from here and import components with
 * `await import(…)` after `openConsole`.
 */
import type * as Library from '@testing-library/react/pure'
import { act, type ReactElement } from 'react'
import type { Fetch } from '../../../src/console/api/transport.ts'
import { ownerEmail, ownerPassword, type Troupe } from '../../support/troupe.ts'
import { openDom } from './dom.ts'

export interface ShowOptions {
  troupe: Troupe
  /** Signed in as the owner, unless this is false or somebody else. */
  signedIn?: boolean | { email: string; password: string }
  /** Stands between the console and the server: to lose, delay or change answers. */
  between?: (next: Fetch) => Fetch
}

interface Shown extends Library.RenderResult {
  /** Goes to another address. */
  navigate(path: string): void
  /** Where the console is. */
  path(): string
  /** Ends the session, as another tab would. */
  signOutElsewhere(): Promise<void>
}

/** Streams and waits that a page does not end are left to themselves. */
const settledMsMax = 2_000

/**
 * Sends as a browser does: with the cookies of the server that it has heard. `settled` waits for the requests that are
 * under way.
 */
export function browserFetch(): { fetch: Fetch; cookies: Map<string, string>; settled(): Promise<void> } {
  const cookies = new Map<string, string>()
  const underWay = new Set<Promise<Response>>()
  const send: Fetch = async (url, init) => {
    const headers = new Headers(init.headers)
    if (cookies.size > 0) headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    const asked = fetch(url, { ...init, headers })
    underWay.add(asked)
    const answer = await asked.finally(() => underWay.delete(asked))
    for (const line of answer.headers.getSetCookie()) {
      const { name, value } = Bun.Cookie.parse(line)
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    return answer
  }
  const settled = async () => {
    const until = performance.now() + settledMsMax
    for (let left = settledMsMax; underWay.size > 0 && left > 0; left = until - performance.now()) {
      await Promise.race([Promise.allSettled(underWay), Bun.sleep(left)])
    }
  }
  return { fetch: send, cookies, settled }
}

/** Testing Library's own mark of what it does within `waitFor` and `findBy…`, where a failure is tried again. */
const isLookingAgain = (config: Library.Config) =>
  (config as { _disableExpensiveErrorDiagnostics?: boolean })._disableExpensiveErrorDiagnostics === true

export async function openConsole() {
  const closeDom = openDom()
  const library: typeof Library = await import('@testing-library/react/pure')
  const { getElementError } = library.getConfig()
  library.configure({
    // pages are loaded when they are looked at first, which takes its time on a busy machine
    asyncUtilTimeout: 120_000,
    // the document is printed for who reads the failure, not for each look of a `waitFor` that looks again
    getElementError: (message, container) =>
      isLookingAgain(library.getConfig()) ? new Error(message ?? '') : getElementError(message, container),
  })
  const { memoryLocation } = await import('wouter/memory-location')
  const { Console } = await import('../../../src/console/console.tsx')
  const { createElement } = await import('react')
  const { environmentManager } = await import('@tanstack/react-query')
  // loaded before by a test without a window, it would take itself for a server, and poll nothing
  environmentManager.setIsServer(() => false)
  const browsers: ReturnType<typeof browserFetch>[] = []

  return {
    ...library,
    /** Shows one component by itself. */
    render: (element: ReactElement) => library.render(element),
    /** Shows the console at an address. */
    async show(path: string, { troupe, signedIn = true, between = (next) => next }: ShowOptions): Promise<Shown> {
      // what an earlier page has kept with its entry of the history
      History.prototype.replaceState.call(history, null, '')
      const browser = browserFetch()
      browsers.push(browser)
      if (signedIn) {
        await browser.fetch(`${troupe.url}/api/auth/sessions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(signedIn === true ? { email: ownerEmail, password: ownerPassword } : signedIn),
        })
      }
      const [pathname = '/', search = ''] = path.split('?')
      const place = memoryLocation({ path: pathname, searchPath: search, record: true })
      const fetcher = between(browser.fetch)
      const rendered = library.render(
        createElement(Console, {
          origin: troupe.url,
          fetch: fetcher,
          router: { hook: place.hook, searchHook: place.searchHook },
        }),
      )
      return {
        ...rendered,
        navigate: (to) => act(() => place.navigate(to)),
        path: () => place.history.at(-1) ?? pathname,
        async signOutElsewhere() {
          const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
          const session = await fetch(`${troupe.url}/api/auth/session`, { headers: { cookie } })
          const { data } = (await session.json()) as { data: { csrfToken: string } }
          const headers = { cookie, 'x-csrf-token': data.csrfToken }
          await fetch(`${troupe.url}/api/auth/session`, { method: 'DELETE', headers })
        },
      }
    },
    /** Takes away what was shown, and the document. */
    async close() {
      library.cleanup()
      // what answers and React still have to say is said while there is a document
      await Promise.all(browsers.map(({ settled }) => settled()))
      await new Promise((resolve) => setTimeout(resolve, 0))
      closeDom()
    },
  }
}

export type ConsoleWorld = Awaited<ReturnType<typeof openConsole>>
