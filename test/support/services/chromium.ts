/**
 * A browser for tests: Debian's headless Chromium with a fresh profile, which is removed with it. The headless shell is
 * the same engine at two thirds of the full browser's processor time. Where neither is installed the tests that need
 * one say so and are skipped; in CI they fail instead.
 */

import { describe } from 'bun:test'
import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

const [headlessShell, wholeBrowser] = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium']
const executablePath = process.env.TROUPE_TEST_CHROMIUM ?? (existsSync(headlessShell) ? headlessShell : wholeBrowser)

/** Whether a browser is installed; in CI a missing one is an error. */
export const hasChromium = Boolean(process.env.CI) || existsSync(executablePath)

if (!hasChromium) {
  console.warn(`Browser tests are skipped: there is no ${executablePath}. See test/support/install-services.sh.`)
}

/** `describe` for tests that need a browser. */
export const describeInBrowser = describe.skipIf(!hasChromium)

/** Long enough for a machine with a load of thirty. */
const patienceMs = 120_000

/**
 * One process for all pages, which a test opens one after the other: it saves a tenth of the processor time. And no
 * requests to the outside: no updates, no reports, no proxies.
 */
const quiet = [
  '--renderer-process-limit=1',
  '--no-zygote',
  '--no-sandbox',
  '--disable-gpu',
  '--in-process-gpu',
  '--disable-quic',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  '--no-default-browser-check',
  '--no-proxy-server',
]

export interface OpenBrowser {
  browser: Browser
  /** A window with its own storage and cookies; it closes with the browser. */
  newContext(options?: Parameters<Browser['newContext']>[0]): Promise<BrowserContext>
  /** A page in its own window. */
  newPage(options?: Parameters<Browser['newContext']>[0]): Promise<Page>
  /** Closes the browser and removes its profile. */
  close(): Promise<void>
}

/** Starts a browser. `beforeAll(async () => { browser = await openBrowser() })`, and `close` in `afterAll`. */
export async function openBrowser(): Promise<OpenBrowser> {
  const browser = await chromium.launch({ executablePath, headless: true, args: quiet, timeout: patienceMs })
  const newContext: OpenBrowser['newContext'] = async (options) => {
    const context = await browser.newContext(options)
    context.setDefaultTimeout(patienceMs)
    return context
  }
  return {
    browser,
    newContext,
    newPage: async (options) => (await newContext(options)).newPage(),
    close: () => browser.close(),
  }
}
