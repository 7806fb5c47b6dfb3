/** A browser with one cookie, as the console uses the API. */
import { api, type CallOptions, type Client, type Reply } from '../../support/client.ts'
import { ownerEmail, ownerPassword, type Troupe } from '../../support/troupe.ts'

/** The cookie that an answer sets, as a browser would send it back; undefined when it sets none. */
export const cookieIn = ({ headers }: Reply): string | undefined => headers.getSetCookie()[0]?.split(';')[0]

/** The attributes of the cookie that an answer sets, by name in lower case. */
export function attributesIn({ headers }: Reply): Record<string, string> {
  const [, ...attributes] = headers.getSetCookie()[0]?.split('; ') ?? []
  return Object.fromEntries(
    attributes.map((attribute) => {
      const [name = '', value = ''] = attribute.split('=')
      return [name.toLowerCase(), value]
    }),
  )
}

export interface Browser extends Pick<Client, 'get' | 'post' | 'patch' | 'delete'> {
  cookie: string
  csrfToken: string
  userId: string
  /** What the sign-in answered. */
  session: Reply['body']
}

/** The browser that got this answer to a sign-in. It sends the cookie and, with changes, the session's token. */
export function browserOf({ url }: Pick<Troupe, 'url'>, reply: Reply): Browser {
  const cookie = cookieIn(reply)
  if (reply.status !== 200 || !cookie) throw new Error(`${reply.status}: ${JSON.stringify(reply.body)}`)
  const session = reply.body.data
  const client = api(url)
  const sending = (options: CallOptions = {}): CallOptions => ({
    ...options,
    headers: { cookie, 'x-csrf-token': session.csrfToken, ...options.headers },
  })
  return {
    cookie,
    csrfToken: session.csrfToken,
    userId: session.user.id,
    session,
    get: (path, options) => client.get(path, sending(options)),
    post: (path, body, options) => client.post(path, body, sending(options)),
    patch: (path, body, options) => client.patch(path, body, sending(options)),
    delete: (path, options) => client.delete(path, sending(options)),
  }
}

/** Signs in; the answer, whatever it is. */
export const trySignIn = ({ url }: Pick<Troupe, 'url'>, email: string, password: string, options?: CallOptions) =>
  api(url).post('/api/auth/sessions', { email, password }, options)

export const signIn = async (troupe: Troupe, email = ownerEmail, password = ownerPassword): Promise<Browser> =>
  browserOf(troupe, await trySignIn(troupe, email, password))

/** A new invitation to an organization. */
export async function invite(inviter: Pick<Client, 'post'>, organization: string, email: string, role = 'member') {
  const { status, body } = await inviter.post(`/api/v1/organizations/${organization}/members`, { email, role })
  if (status !== 201 || !body.data.invitation) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return body.data.invitation as { id: string; token: string; expiresAt: string }
}

/** The password of everybody who was made up by a test. */
export const password = 'a password of theirs'

/** Invites and accepts: a new user, signed in. */
export async function newMember(troupe: Troupe, organization: string, email: string, role = 'member') {
  const { token } = await invite(troupe.owner, organization, email, role)
  return browserOf(troupe, await api(troupe.url).post('/api/auth/invitations', { token, name: 'Somebody', password }))
}

let organizations = 0

/** One more organization of whoever this is; its id. */
export async function newOrganization(owner: Pick<Client, 'post'>, slug = `another-${++organizations}`) {
  const { status, body } = await owner.post('/api/v1/organizations', { name: slug, slug })
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return body.data.id as string
}
