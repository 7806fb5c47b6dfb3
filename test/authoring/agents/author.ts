/** An Agent whose publications are all rejected, and the parts of invalid contents. */

import { expect } from 'bun:test'
import { openWorld } from '../../support/world/world.ts'

export type Issue = [path: string, message: RegExp]

export const agentId = 'agt_01h455vb4pex5vsknk084sn02q'
export const builtin = { kind: 'builtin', name: 'clock' }
export const echo = { kind: 'builtin', name: 'echo' }
export const operation = (name: string) => ({ kind: 'operation', name, operation: 'shop.find' })
export const ask = (inputSchema: unknown) => ({ kind: 'interactive', name: 'ask', description: 'Asks.', inputSchema })
export const external = (name: string) => ({ name, description: 'Somebody.', external: true })
export const binding = (changes: object) => ({ bindingKey: 'shop', kind: 'connection', required: true, ...changes })
export const many = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, at) => item(at))

export const required = /^Is required\.$/
export const noSuchField = /^There is no such field\. (?:Did you mean \S+\? )?There (?:are: .+|is none here)\.$/
export const pattern = /match/

export async function openAuthor() {
  const world = await openWorld()
  const project = await world.project()
  const { body } = await world.owner.post(`${project.path}/agents`, { slug: 'agent', name: 'Agent' })
  const path = `${project.path}/agents/${body.data.id}/revisions`
  const headers = { 'content-type': 'application/json' }
  return {
    publish: (request: unknown) => world.owner.post(path, request),
    send: (text: string) => world.owner.call('POST', path, text, { headers }),
    published: () => world.rows('select 1 from agent_revisions'),
    stop: () => world.stop(),

    /** Sends a body that is rejected with exactly these issues. */
    async refused(request: unknown, ...expected: Issue[]) {
      const reply = await world.owner.post(path, request)
      expect(reply.status).toBe(422)
      expect(reply.body.error.code).toBe('validation_failed')
      const issues = reply.body.error.details.issues as { path: string; message: string }[]
      expect(issues.map((issue) => issue.path).sort()).toEqual(expected.map(([at]) => at).sort())
      for (const [at, message] of expected) {
        expect(issues.find((issue) => issue.path === at)?.message).toMatch(message)
      }
    },
  }
}

export type Author = Awaited<ReturnType<typeof openAuthor>>
