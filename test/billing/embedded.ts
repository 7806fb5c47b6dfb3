/** An organization that uses the embedded provider, and the requests of its pages. */

import { expect } from 'bun:test'
import { newOrganization } from '../support/world/organizations.ts'
import type { Browser } from '../tenancy/sessions/browser.ts'
import { base, checkoutBody, keyed, portalBody, type World } from './world.ts'

export const open = (url: string) => fetch(url, { redirect: 'manual' })
export const click = (url: string, form: Record<string, string>) =>
  fetch(url, { method: 'POST', redirect: 'manual', body: new URLSearchParams(form) })

/** A new organization for each test. */
export async function embeddedOrganization(world: World, browser: Pick<Browser, 'post'>) {
  const { id, client, key } = await newOrganization(world.troupe, undefined, browser)
  const checkout = async (changes: object = {}, options = keyed()) =>
    client.post(`${base(id)}/checkout`, checkoutBody(world.troupe, changes), options)
  const portal = () => client.post(`${base(id)}/portal`, portalBody(world.troupe), keyed())
  const subscription = async () => (await client.get(`${base(id)}/subscription`)).body.data
  const subscribe = async (planKey = 'pro') => {
    const { body } = await checkout({ planKey })
    expect((await click(body.data.url, { action: 'pay' })).status).toBe(303)
    return (await portal()).body.data.url as string
  }
  return { id, client, key, checkout, portal, subscription, subscribe }
}
