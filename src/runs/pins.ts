/** What a run was pinned to at admission, found again for each attempt. Source: requirement 9.2; contract 5. */
import type { RunRow } from '../../storage/tables.ts'
import type { PlatformDefault } from '../providers/platform.ts'
import type { Vendor } from '../providers/vendors.ts'
import type { AgentContent, ModelBinding } from '../runner/protocol.ts'
import { BindingUnavailable, type Pins, type StoredBinding } from './attempts/assignment.ts'

/** What is needed of the System Agents. */
export interface RevisionFinder {
  revision(agentRevisionId: string): MaybePromise<{ name: string; content: AgentContent } | undefined>
}
type MaybePromise<Value> = Value | Promise<Value>

export interface PinsParts {
  systemAgents: RevisionFinder
  /** Null while the platform default is unconfigured. */
  platform: PlatformDefault | null
  baseUrls: Partial<Record<Vendor, string>>
}

export function pinsOf({ systemAgents, platform, baseUrls }: PinsParts): Pins {
  return {
    async content({ agent_revision_id }: RunRow) {
      const revision = await systemAgents.revision(agent_revision_id)
      if (!revision) throw new BindingUnavailable('The Agent Revision of the run is gone.')
      return revision
    },
    binding(_row: RunRow, { provider, model, reasoningBudget, credential }: StoredBinding): ModelBinding {
      if (credential !== 'platform' || platform?.provider !== provider) {
        throw new BindingUnavailable('The credential of the run is no longer available.')
      }
      const baseUrl = provider === 'sandbox' ? null : (baseUrls[provider as Vendor] ?? null)
      return { provider, model, reasoningBudget, apiKey: platform.apiKey, baseUrl }
    },
  }
}
