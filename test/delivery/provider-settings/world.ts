/** A Project whose Agents get provider settings. */
import { expect } from 'bun:test'
import { openWorld as openConnections } from '../connections/world.ts'

export const openai = { provider: 'openai', model: 'gpt-5.5' }

export async function openWorld() {
  const connections = await openConnections()
  const pathOf = (agentId: string, at = connections.path) => `${at}/agents/${agentId}/provider-settings`

  return {
    ...connections,
    pathOf,
    /** An Agent with a setting. */
    /** Without a body, all fields have their defaults. */
    async setting(body?: object) {
      const agentId = await connections.agent()
      const path = pathOf(agentId)
      const reply = await connections.owner.post(path, body)
      expect(reply.status).toBe(200)
      const { settingId } = reply.body.data
      return { agentId, path, settingId, at: `${path}/${settingId}`, data: reply.body.data }
    },
  }
}

export type World = Awaited<ReturnType<typeof openWorld>>
