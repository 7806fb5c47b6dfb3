/** Which System Agents can be started: decided by owners of the first organization, for everybody. Source: contract 7. */

import { disableSystemAgent, enableSystemAgent, findInstallationOf } from '../../../storage/authoring/system-agents.ts'
import { StaleWrite, UniqueViolation } from '../../../storage/errors.ts'
import type { Store, Write } from '../../../storage/store.ts'
import { type Broadcasts, broadcast } from '../../events/history/broadcasts.ts'
import { ApiError, orNotFound } from '../../platform/http/answers/errors.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { SystemAgentRevision } from './revision.ts'
import type { SystemAgents } from './system-agents.ts'

export interface PolicyParts {
  store: Store
  clock: Clock
  systemAgents: SystemAgents
  broadcasts: Broadcasts
}

export class SystemAgentPolicy {
  constructor(private readonly parts: PolicyParts) {}

  /**
   * Enables or disables the agent; undefined changes nothing. `record` makes the statements that commit with the
   * change. Throws 403 unless the caller is an owner of the first organization, `notFound`.
   */
  async change(
    caller: Caller,
    agentId: string,
    enabled: boolean | undefined,
    keep: (revision: SystemAgentRevision, enabled: boolean, was: boolean) => Write[],
  ): Promise<{ revision: SystemAgentRevision; enabled: boolean }> {
    const { store, systemAgents, broadcasts } = this.parts
    const revision = await this.findToChange(caller, agentId)
    const wanted = enabled ?? systemAgents.isEnabled(agentId)
    const kept = keep(revision, wanted, systemAgents.isEnabled(agentId))
    if (wanted !== systemAgents.isEnabled(agentId) && (await this.#commit(caller, agentId, wanted, kept))) {
      broadcasts.wake()
    } else await store.commit(kept)
    return { revision, enabled: wanted }
  }

  /** Throws 403 unless the caller is an owner of the first organization, `notFound`. */
  async findToChange(caller: Caller, agentId: string): Promise<SystemAgentRevision> {
    await this.#assertPlatformOwner(caller)
    // the change applies to the stored value, not to the one that this server remembers
    await this.parts.systemAgents.refresh()
    return orNotFound(this.parts.systemAgents.find(agentId))
  }

  /** Whether this has changed it; false if another request did so at the same moment. */
  async #commit({ principal: actor }: Caller, agentId: string, enabled: boolean, kept: Write[]): Promise<boolean> {
    const { store, clock, systemAgents } = this.parts
    const at = clock.now()
    const words = ['disabled', 'enabled']
    try {
      await store.commit([
        enabled
          ? enableSystemAgent(store, { agentId })
          : disableSystemAgent(store, { agent_id: agentId, disabled_at: at }),
        broadcast(store, {
          type: 'system_agent.policy_changed',
          subject: { type: 'systemAgent', id: agentId },
          actor,
          data: { agentId, from: words[Number(!enabled)], to: words[Number(enabled)] },
          at,
        }),
        ...kept,
      ])
    } catch (error) {
      if (error instanceof StaleWrite || error instanceof UniqueViolation) return false
      throw error
    }
    systemAgents.noteEnabled(agentId, enabled)
    return true
  }

  async #assertPlatformOwner({ organizationId, role }: Caller): Promise<void> {
    const { store } = this.parts
    if (role === 'owner' && (await store.first(findInstallationOf(store, { organizationId })))) return
    throw new ApiError(403, 'permission_denied', 'Only owners of the first organization may do this.', {
      details: { permission: 'agents:push' },
    })
  }
}
