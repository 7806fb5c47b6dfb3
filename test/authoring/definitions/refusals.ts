/** A Project with a Definition of each kind, for sources that are rejected. */

import { expect } from 'bun:test'
import { openWorld } from '../../support/world/world.ts'

/** The path of an issue, and a pattern for its message. */
export type Issue = [path: string, message: RegExp]

export const required = /^Is required\.$/
export const noSuchField = /^There is no such field\. (?:Did you mean \S+\? )?There (?:are: .+|is none here)\.$/
export const many = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, at) => item(at))

export async function openDefinitions() {
  const world = await openWorld()
  const project = await world.project()
  const paths: Record<string, string> = {}
  for (const kind of ['operations', 'workflow', 'entity']) {
    const { body } = await world.owner.post(`${project.path}/definitions`, { name: kind, kind })
    paths[kind] = `${project.path}/definitions/${body.data.id}/revisions`
  }
  return {
    /** Expects the body to be rejected with exactly these issues. */
    async refused(kind: string, body: unknown, expected: readonly Issue[]) {
      const reply = await world.owner.post(paths[kind]!, body)
      expect(reply.status).toBe(422)
      expect(reply.body.error.code).toBe('validation_failed')
      const issues = reply.body.error.details.issues as { path: string; message: string }[]
      expect(issues.map(({ path }) => path).sort()).toEqual(expected.map(([path]) => path).sort())
      for (const [path, message] of expected)
        expect(issues.find((issue) => issue.path === path)?.message).toMatch(message)
    },
    /** Expects the body to be rejected with these issues, and possibly others. */
    async refusedAmong(kind: string, body: unknown, expected: readonly Issue[]) {
      const reply = await world.owner.post(paths[kind]!, body)
      expect({ status: reply.status, code: reply.body.error.code }).toEqual({ status: 422, code: 'validation_failed' })
      const issues = reply.body.error.details.issues as { path: string; message: string }[]
      for (const [path, message] of expected)
        expect(issues.find((issue) => issue.path === path)?.message).toMatch(message)
    },
    stop: () => world.stop(),
  }
}

export type Definitions = Awaited<ReturnType<typeof openDefinitions>>
