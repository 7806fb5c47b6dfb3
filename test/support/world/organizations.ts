/** A second organization, created by its owner in a browser, with a key. */
import { type Browser, signIn } from '../../tenancy/sessions/browser.ts'
import type { Client } from '../client.ts'
import type { Troupe } from '../troupe.ts'
import { data } from './replies.ts'

export interface Organization {
  id: string
  slug: string
  /** The secret of its key, which has all operations, and a client with it. */
  key: string
  client: Client
}

/** Created by the owner of the first organization, who signs in for it, or by the user of the given browser. */
export async function newOrganization(
  troupe: Pick<Troupe, 'url' | 'as'>,
  slug = `team-${crypto.randomUUID().slice(0, 8)}`,
  browser?: Pick<Browser, 'post'>,
): Promise<Organization> {
  const { post } = browser ?? (await signIn(troupe))
  const { id } = await data(post('/api/v1/organizations', { name: `Team ${slug}`, slug }))
  const headers = { 'x-troupe-organization': id }
  const { secret } = await data<{ secret: string }>(
    post('/api/v1/api-keys', { name: 'key', operations: ['*'] }, { headers }),
  )
  return { id, slug, key: secret, client: troupe.as(secret) }
}
