/** Organizations besides the first one, created by its owner. */
import type { Server } from './server.ts'

const email = 'owner@localhost'
const password = 'seventeen purple elephants'

/** Their owner, and the settings with which a server creates that user. */
export const owner = { settings: { TROUPE_OWNER_EMAIL: email, TROUPE_OWNER_PASSWORD: password } }

/** Creates this many organizations; returns an owner's key of each. */
export async function keysOfOthers({ port }: Pick<Server, 'port'>, count: number): Promise<string[]> {
  const url = `http://127.0.0.1:${port}/api`
  const signedIn = await fetch(`${url}/auth/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0]
  if (!signedIn.ok || !cookie) throw new Error(`Signing in answered ${signedIn.status}.`)
  const { csrfToken } = ((await signedIn.json()) as { data: { csrfToken: string } }).data
  const post = async <Data>(path: string, body: object, organization?: string): Promise<Data> => {
    const answer = await fetch(`${url}/v1/${path}`, {
      method: 'POST',
      headers: {
        cookie,
        'content-type': 'application/json',
        'x-csrf-token': csrfToken,
        ...(organization ? { 'x-troupe-organization': organization } : {}),
      },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${await answer.text()}`)
    return ((await answer.json()) as { data: Data }).data
  }
  const keys: string[] = []
  for (let number = 1; number <= count; number += 1) {
    const { id } = await post<{ id: string }>('organizations', { name: `Another ${number}`, slug: `another-${number}` })
    const { secret } = await post<{ secret: string }>('api-keys', { name: 'Everything', operations: ['*'] }, id)
    keys.push(secret)
  }
  return keys
}
