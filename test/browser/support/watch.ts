/** Records a page's errors and requests while a test uses it. */
import type { Page } from 'playwright-core'

export interface Watched {
  /** Console errors and exceptions, except the one for a missing session. */
  complaints: string[]
  /** Addresses of other servers that received a request. */
  elsewhere: string[]
}

export function watch(page: Page, origin: string): Watched {
  const watched: Watched = { complaints: [], elsewhere: [] }
  page.on('pageerror', (error) => watched.complaints.push(String(error)))
  page.on('console', (message) => {
    const { url } = message.location()
    if (message.type() === 'error' && !url.includes('/api/auth/session'))
      watched.complaints.push(`${message.text()} ${url}`)
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(origin)) watched.elsewhere.push(request.url())
  })
  return watched
}
