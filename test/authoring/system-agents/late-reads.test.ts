/** Reads of the policies whose answers come late. Source: contract 7. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { SystemAgents } from '../../../src/authoring/system-agents/system-agents.ts'
import { disableSystemAgent, enableSystemAgent } from '../../../storage/authoring/system-agents.ts'
import type { Store } from '../../../storage/store.ts'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'

const agentId = 'agt_system_assistant'

let stored: Store
let agents: SystemAgents
/** Happens once, after a read and before its answer. */
let meanwhile: (() => Promise<unknown>) | undefined
beforeEach(async () => {
  stored = await openMigrated()
  meanwhile = undefined
  const all: Store['all'] = async (query) => {
    const rows = await stored.all(query)
    const work = meanwhile
    meanwhile = undefined
    await work?.()
    return rows
  }
  const store: Pick<Store, 'db' | 'all' | 'first' | 'commit'> = {
    db: stored.db,
    all,
    first: (query) => stored.first(query),
    commit: (...unit) => stored.commit(...unit),
  }
  agents = await SystemAgents.publish(store as Store, new HandClock())
})
afterEach(() => stored?.close())

const disable = () => stored.commit([disableSystemAgent(stored, { agent_id: agentId, disabled_at: 0 })])
const enable = () => stored.commit([enableSystemAgent(stored, { agentId })])

test('an answer from before a change of this server does not undo the change', async () => {
  meanwhile = async () => {
    await disable()
    agents.noteEnabled(agentId, false)
  }
  await agents.refresh()
  expect(agents.isEnabled(agentId)).toBe(false)
  meanwhile = async () => {
    await enable()
    agents.noteEnabled(agentId, true)
  }
  await agents.refresh()
  expect(agents.isEnabled(agentId)).toBe(true)
})

test('an answer that comes after the one of a later question does not count', async () => {
  meanwhile = async () => {
    // by another server
    await disable()
    await agents.refresh()
    expect(agents.isEnabled(agentId)).toBe(false)
  }
  await agents.refresh()
  expect(agents.isEnabled(agentId)).toBe(false)
})
