/**
 * The pages to which the payment provider may return: console pages, compared byte for byte. Source: requirement 4.1;
 * contract 8.
 */
import { ApiError, type Issue } from '../platform/http/answers/errors.ts'

const paths = ['/billing', '/billing/success', '/billing/canceled', '/pricing']

/** Throws `url_not_allowed` (422), which names the fields but not their values. */
export function assertDestinations(consoleUrl: string, named: Record<string, string>): void {
  const allowed = originsOf(consoleUrl).flatMap((origin) => paths.map((path) => origin + path))
  const issues: Issue[] = Object.entries(named)
    .filter(([, url]) => !allowed.includes(url))
    .map(([field]) => ({ path: `/body/${field}`, message: `Must be one of: ${allowed.join(', ')}.` }))
  if (issues.length > 0)
    throw new ApiError(422, 'url_not_allowed', 'Only the billing pages of the console are allowed.', {
      details: { issues },
    })
}

/** The console's origin; on the machine of its user, also the one that the server prints at its start. */
function originsOf(consoleUrl: string): string[] {
  const { hostname, port, protocol } = new URL(consoleUrl)
  return hostname === 'localhost' ? [consoleUrl, `${protocol}//127.0.0.1${port && `:${port}`}`] : [consoleUrl]
}
