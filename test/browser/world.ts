/** A server, a provider, a browser, endpoints that accept or refuse deliveries, and windows of signed-in users. */
import type { BrowserContext, Page } from 'playwright-core'
import { openProvider, presetAt, withPresets } from '../accounts/integrations/provider.ts'
import { openBrowser } from '../support/services/chromium.ts'
import { openTroupe, ownerEmail, ownerPassword } from '../support/troupe.ts'
import { makeImpatient } from './support/impatient.ts'
import { type Watched, watch } from './support/watch.ts'

type ContextOptions = Parameters<Awaited<ReturnType<typeof openBrowser>>['newContext']>[0]

export interface Window {
  page: Page
  watched: Watched
}

export const desktop = { width: 1280, height: 800 }
/** Without the sidebar, and with tables. */
export const laptop = { width: 1024, height: 768 }
export const phone = { width: 390, height: 844 }

/** An endpoint on loopback; it responds with the last configured status and always the same text. */
export function openEndpoint(status: number, path = '/hook', says = 'The shop is closed.') {
  const endpoint = { url: '', status, received: 0, stop: () => void server.stop(true) }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch() {
      endpoint.received += 1
      return new Response(says, { status: endpoint.status })
    },
  })
  endpoint.url = `http://127.0.0.1:${server.port}${path}`
  return endpoint
}

export type Endpoint = ReturnType<typeof openEndpoint>

export async function openWorld(environment: Record<string, string> = {}) {
  const settings = {
    TROUPE_RATE_LIMIT_PER_MINUTE: '0',
    TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true',
    TROUPE_WEBHOOK_BACKOFF_MS: '10,10',
    ...environment,
  }
  // for OAuth; it knows every client until that is changed
  const provider = openProvider()
  const presets = ['acme', 'odd'].map((key) => presetAt(key, provider.url))
  const opening = withPresets(presets, (path) =>
    openTroupe({ environment: { TROUPE_PRESETS_FILE: path, ...settings } }),
  )
  const [troupe, browser] = await Promise.all([opening, openBrowser()])
  const repeated: string[][] = []
  const openWindow = async (context: BrowserContext): Promise<Window> => {
    const page = await context.newPage()
    return { page, watched: watch(page, troupe.url) }
  }
  return {
    troupe,
    provider,
    owner: troupe.owner,
    url: troupe.url,

    /** A window of a signed-in user; the owner by default. */
    async signedIn(
      options: ContextOptions = {},
      { email, password } = { email: ownerEmail, password: ownerPassword },
    ): Promise<Window> {
      const context = await browser.newContext({ viewport: desktop, reducedMotion: 'reduce', ...options })
      const answer = await context.request.post(`${troupe.url}/api/auth/sessions`, { data: { email, password } })
      if (!answer.ok()) throw new Error(await answer.text())
      repeated.push(await makeImpatient(context))
      return openWindow(context)
    },

    /** The writes that were repeated while the same one was in progress; every click on a button is doubled. */
    sentTwice: () => repeated.flat(),

    /** Another window of the same user, who has already loaded the console. */
    another: ({ page }: Window) => openWindow(page.context()),

    async stop() {
      await browser.close()
      await troupe.stop()
      provider.stop()
    },
  }
}
export type World = Awaited<ReturnType<typeof openWorld>>

/** Opens pages in one window, one after the other: what it has loaded stays. */
export function inOneWindow(world: () => World) {
  let latest: Window | undefined
  return async (path: string): Promise<Window> => {
    const window = latest ? await world().another(latest) : await world().signedIn()
    await latest?.page.close()
    latest = window
    await window.page.goto(world().url + path)
    return window
  }
}

/** Navigates to another address of the console like a link, and waits until the page is complete. */
export async function goTo(page: Page, address: string): Promise<void> {
  await page.evaluate((to) => history.pushState(null, '', to), address)
  await settled(page)
}

/** Waits until there is a title, and nothing is loading. */
export const settled = (page: Page): Promise<void> =>
  until(
    page,
    () => document.querySelector('main h1') && !document.querySelector('main .skeleton, main [aria-busy="true"]'),
  )

/**
 * Waits until the condition holds in the page. Polled by the clock: with frames, as in Playwright, the browser renders
 * continuously while waiting, which takes a processor of its own.
 */
export async function until(page: Page, holds: () => unknown): Promise<void> {
  await page.waitForFunction(holds, undefined, { polling: 20 })
}
