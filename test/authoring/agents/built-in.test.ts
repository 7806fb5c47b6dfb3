import { expect, test } from 'bun:test'
import { builtinNames } from '../../../src/authoring/agents/content.ts'
import { validated } from '../../../src/authoring/agents/revision-request.ts'
import { builtInAgents, descriptions } from '../../../src/authoring/system-agents/built-in.ts'
import { builtinTools } from '../../../src/runs/runner/tools/builtins.ts'
import { ManualClock } from '../../runs/runner/support/clock.ts'

test('the built-in tools that a content may name are those of the runner', () => {
  const tools = builtinTools(new ManualClock())
  const assignment = {} as Parameters<typeof tools.find>[1]
  for (const name of builtinNames) expect(tools.find({ kind: 'builtin', name }, assignment)).toBeDefined()
})

test.each(Object.entries(builtInAgents))('the content of %s can be published', async (agentId, content) => {
  expect(await validated({ content }, 'org_built_in')).toEqual({ content, grantedOperations: [] })
  expect(descriptions[agentId]).toBeString()
})
