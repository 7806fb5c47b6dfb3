/** An organization's external connections: OAuth clients at providers, and a billing contract. */
import { type Provider, refusing } from '../../accounts/integrations/provider.ts'
import type { Client } from '../../support/client.ts'
import { maker } from './maker.ts'
import { printable, type Words } from './words.ts'

const organization = '/api/v1/organizations/default'

export interface Integrated {
  /** The integration that its provider knows. */
  clientId: string
  integrationId: string
  /** The integration that its provider no longer knows. */
  refusedId: string
}

/** Two integrations, for the presets `acme` and `odd` of a world. The client ids are printable ASCII without spaces. */
export async function integrate(owner: Client, provider: Provider, words: Words): Promise<Integrated> {
  const api = maker(owner)
  const clientId = printable(words('support-desk.acme', 512))
  const register = (presetKey: string, clientId: string) =>
    api.post(`${organization}/integrations`, { presetKey, clientId, clientSecret: 'nothing-to-see' })
  const good = await register('acme', clientId)
  const bad = await register('odd', printable(words('support-desk.odd', 512)))
  provider.answers(refusing('invalid_client', 401))
  await owner.post(`${organization}/integrations/${bad.id}/verify`)
  return { clientId, integrationId: good.id, refusedId: bad.id }
}

/** Chooses the plan `pro` and pays with the embedded payment provider. */
export async function subscribe(owner: Client, url: string): Promise<void> {
  const api = maker(owner)
  const console = `http://localhost:${new URL(url).port}`
  const body = { planKey: 'pro', successUrl: `${console}/billing/success`, cancelUrl: `${console}/billing/canceled` }
  const checkout = await api.post(`${organization}/billing/checkout`, body, { 'idempotency-key': 'contract' })
  const form = new URLSearchParams({ action: 'pay' })
  const paid = await fetch(checkout.url, { method: 'POST', body: form, redirect: 'manual' })
  if (paid.status !== 303) throw new Error(`${checkout.url} answered ${paid.status}: ${await paid.text()}`)
  const portal = { returnUrl: `${console}/billing` }
  await api.post(`${organization}/billing/portal`, portal, { 'idempotency-key': 'portal' })
}
