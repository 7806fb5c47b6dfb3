/** A server whose Connections come from consents at a provider of the test's own. */
import { expect } from 'bun:test'
import { openWorld } from '../../runs/project/world.ts'
import type { Place } from '../../support/world/places.ts'
import { data } from '../../support/world/replies.ts'
import { openOddProvider, tokens } from './odd-provider.ts'
import { begunBy, oddPresets, presetsFile } from './world.ts'

export async function openConsents() {
  const odd = openOddProvider()
  const presets = await presetsFile(oddPresets(odd))
  const world = await openWorld({ environment: { TROUPE_PRESETS_FILE: presets.path } })
  const integration = { presetKey: 'odd', clientId: 'client', clientSecret: 'secret' }
  const integrations = `/api/v1/organizations/${world.ours}/integrations`
  const register = () => data<{ id: string }>(world.owner.post(integrations, integration))
  let { id: integrationId } = await register()

  /** A Connection by consent whose token is valid for an hour, bound to the Agent as `shop`. */
  async function connect(place: Place, agentId: string | null, more: object = {}): Promise<string> {
    odd.tokenAnswers = [() => tokens({ access_token: 'access-token-0', ...more })]
    const query = { projectId: place.projectId, environmentId: place.environmentId }
    const begun = begunBy(await world.owner.get('/api/oauth/start/odd', { query }))
    const reply = await world.owner.get('/api/oauth/callback/odd', {
      query: { state: begun.state, code: 'a-code' },
      headers: { cookie: begun.cookie },
    })
    const id = new URL(reply.headers.get('location')!).searchParams.get('connectionId')!
    if (agentId) await data(world.owner.patch(`${place.path}/connections/${id}`, { agentId, bindingKey: 'shop' }))
    odd.tokenRequests.length = 0
    odd.tokenAnswers = [() => tokens({ access_token: 'access-token-1' })]
    return id
  }

  return {
    odd,
    world,
    connect,
    async deleteIntegration() {
      expect((await world.owner.delete(`${integrations}/${integrationId}`)).status).toBe(204)
    },
    async registerAgain() {
      odd.tokenAnswers = [] // as to a probe
      integrationId = (await register()).id
    },
    async stop() {
      await world.stop()
      odd.stop()
      await presets.remove()
    },
  }
}

export type Consents = Awaited<ReturnType<typeof openConsents>>
