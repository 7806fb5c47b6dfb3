/** Serves the page of an embedded chart, for frames of the origins that the operator allows. Source: contract 9. */
import { Elysia } from 'elysia'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { consoleBundle } from '../bundle.ts'
import { policyFramedBy, sendFile } from '../serve.ts'

/** `ancestors`: comma-separated origins, or `*`; null allows this server's own pages only. */
export function embedRoutes({ guarded, ancestors }: { guarded: Guarded; ancestors: string | null }) {
  const framedBy = ancestors === '*' ? '*' : ["'self'", ...(ancestors?.split(/\s*,\s*/) ?? [])].join(' ')
  const policy = policyFramedBy(framedBy)
  return new Elysia({ name: 'embed' }).use(guarded).get(
    '/embed/actors/*',
    async ({ request, set }) => {
      const { embedPage } = await consoleBundle()
      set.headers['content-security-policy'] = policy
      set.headers['cache-control'] = 'no-cache'
      return sendFile(embedPage, { request, set })
    },
    { publicAccess: true, anyQuery: true, detail: { hide: true } },
  )
}
