/** A browser with one cookie, which uses the API like the console. */
import { api, type CallOptions, type Client, type Reply } from '../../support/client.ts'
import { ownerEmail, ownerPassword, type Troupe } from '../../support/troupe.ts'

/** The cookie of an answer, as a browser would send it back; undefined without one. */
export const cookieIn = ({ headers }: Reply): string | undefined => headers.getSetCookie()[0]?.split(';')[0]

/** The attributes of an answer's cookie, by lowercase name. */
export function attributesIn({ headers }: Reply): Record<string, string> {
  const [, ...attributes] = headers.getSetCookie()[0]?.split('; ') ?? []
  return Object.fromEntries(
    attributes.map((attribute) => {
      const [name = '', value = ''] = attribute.split('=')
      return [name.toLowerCase(), value]
    }),
  )
}

export interface Browser extends Pick<Client, 'get' | 'post' | 'put' | 'patch' | 'delete'> {
  cookie: string
  csrfToken: string
  userId: string
  /** The answer to the sign-in. */
  session: Reply['body']
}

/** The browser that received this answer to a sign-in. It sends the cookie and, with changes, the session's token. */
export function browserOf({ url }: Pick<Troupe, 'url'>, reply: Reply): Browser {
  return browserWith(url, cookieIn(reply), reply.status, reply.body)
}

function browserWith(url: string, cookie: string | undefined, status: number, body: Reply['body']): Browser {
  if (status !== 200 || !cookie) throw new Error(`${status}: ${JSON.stringify(body)}`)
  const session = body.data
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
    put: (path, body, options) => client.put(path, body, sending(options)),
    patch: (path, body, options) => client.patch(path, body, sending(options)),
    delete: (path, options) => client.delete(path, sending(options)),
  }
}

/** Signs in; returns the answer, whatever it is. */
export const trySignIn = (
  { url }: Pick<Troupe, 'url'>,
  email: string,
  password: string,
  { organization, ...options }: CallOptions & { organization?: string } = {},
) => api(url).post('/api/auth/sessions', { email, password, ...(organization && { organization }) }, options)

export const signIn = async (
  troupe: Pick<Troupe, 'url'>,
  email = ownerEmail,
  password = ownerPassword,
): Promise<Browser> => browserOf(troupe, await trySignIn(troupe, email, password))

async function invitation(inviter: Pick<Client, 'post'>, organization: string, invited: object) {
  const { status, body } = await inviter.post(`/api/v1/organizations/${organization}/members`, invited)
  if (status !== 201 || !body.data.invitation) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return body.data.invitation as { id: string; token: string; expiresAt: string }
}

/** A new invitation of an address to an organization. */
export const invite = (inviter: Pick<Client, 'post'>, organization: string, email: string, role = 'member') =>
  invitation(inviter, organization, { email, role })

/** A new invitation of an account to an organization. */
export const inviteUser = (inviter: Pick<Client, 'post'>, organization: string, userId: string, role = 'member') =>
  invitation(inviter, organization, { userId, role })

/** The path where a signed-in account accepts an invitation. */
export const accepting = '/api/auth/invitations/accept'

/** The password of all users of the tests. */
export const password = 'a password of theirs'

/** Invites and accepts: a new, signed-in user. */
export async function newMember(
  troupe: Pick<Troupe, 'url'> & { owner: Pick<Client, 'post'> },
  organization: string,
  email: string,
  role = 'member',
) {
  const { token } = await invite(troupe.owner, organization, email, role)
  return browserOf(troupe, await api(troupe.url).post('/api/auth/invitations', { token, name: 'Somebody', password }))
}

/** The browser of a user without a password: the session is written to the store. */
export async function browserOfUser(
  { url }: Pick<Troupe, 'url'>,
  tenancy: { session(userId: string): string },
  userId: string,
): Promise<Browser> {
  const cookie = tenancy.session(userId)
  const { status, body } = await api(url).get('/api/auth/session', { headers: { cookie } })
  return browserWith(url, cookie, status, body)
}

/** Invites a user by id, who accepts. */
export async function join(
  troupe: Pick<Troupe, 'url'>,
  tenancy: { session(userId: string): string },
  {
    inviter,
    organization,
    userId,
    role = 'member',
  }: { inviter: Pick<Client, 'post'>; organization: string; userId: string; role?: string },
) {
  const { token } = await inviteUser(inviter, organization, userId, role)
  const { status, body } = await (await browserOfUser(troupe, tenancy, userId)).post(accepting, { token })
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`)
}

let organizations = 0

/** Another organization of the current user; returns its id. */
export async function newOrganization(owner: Pick<Client, 'post'>, slug = `another-${++organizations}`) {
  const { status, body } = await owner.post('/api/v1/organizations', { name: slug, slug })
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return body.data.id as string
}
