/** A provider that responds as a test configures it, and an API behind it that accepts no token. */

/** The response to a token request; a function may read the form. */
type Said = Response | (() => Response | Promise<Response>)

export const tokens = (more: object = {}) =>
  Response.json({
    access_token: 'odd-access-1',
    token_type: 'Bearer',
    expires_in: 3600,
    refresh_token: 'odd-refresh-1',
    ...more,
  })

/** An id token without a real signature. */
export const idToken = (claims: object): string =>
  [{ alg: 'none' }, claims, {}].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')

export const refusal = (error: string, status = 400) =>
  Response.json({ error, error_description: 'words of <b>the provider</b>' }, { status })

interface TokenRequest {
  form: Record<string, string>
  authorization: string | null
}

export function openOddProvider() {
  const world = {
    url: '',
    /** The next responses of the token endpoint; the last one repeats. */
    tokenAnswers: [] as Said[],
    userinfo: (() => Response.json({ sub: 'odd-1', email: 'odd@example.com' })) as () => Response,
    tokenRequests: [] as TokenRequest[],
    /** The `Authorization` headers that the API behind it received. */
    apiCalls: [] as (string | null)[],
    apiAnswer: ((_authorization) => Response.json({ seen: true })) as (authorization: string | null) => Response,
    stop: () => void server.stop(true),
    reset() {
      world.tokenAnswers = [() => tokens()]
      world.userinfo = () => Response.json({ sub: 'odd-1', email: 'odd@example.com' })
      world.tokenRequests.length = 0
      world.apiCalls.length = 0
      world.apiAnswer = () => Response.json({ seen: true })
    },
  }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/token') {
        const form = Object.fromEntries(new URLSearchParams(await request.text()))
        // responds as to the probe of a registration
        if (world.tokenAnswers.length === 0) return refusal('invalid_grant')
        world.tokenRequests.push({ form, authorization: request.headers.get('authorization') })
        const said = (world.tokenAnswers.length > 1 ? world.tokenAnswers.shift() : world.tokenAnswers[0])!
        return typeof said === 'function' ? said() : said.clone()
      }
      if (pathname === '/userinfo') return world.userinfo()
      if (pathname.startsWith('/api/')) {
        world.apiCalls.push(request.headers.get('authorization'))
        return world.apiAnswer(request.headers.get('authorization'))
      }
      return new Response('nothing here', { status: 404 })
    },
  })
  world.url = `http://127.0.0.1:${server.port}`
  return world
}
export type OddProvider = ReturnType<typeof openOddProvider>
