/**
 * The work of a Deployment's states. Each piece looks first whether its state still waits for it, does what can be done
 * twice, and answers with an event; what cannot be done now (the store is away) is begun again. Source: contract 3,
 * "Deployment".
 */
import type { DeploymentEvent, DeploymentIssue } from '../../../machines/deployment.ts'
import type { Stamp } from '../../../machines/words.ts'
import { insertDeploymentBundle } from '../../../storage/delivery/deployments.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { DeploymentRow } from '../../../storage/tables.ts'
import { digestOfText } from '../../platform/http/digest.ts'
import type { Actors } from '../../runtime/actors.ts'
import { isOver } from '../../runtime/refusals.ts'
import { type DeploymentEffects, deploymentAddress, deploymentKind } from './actor.ts'
import { bundleOf } from './bundling.ts'
import { needed } from './needs.ts'
import type { Pinned } from './pinned.ts'
import { readPinned } from './read-pinned.ts'
import { type SecretSources, secretIssues } from './secrets.ts'
import { digestOfServed } from './served.ts'
import { issuesOf, missingIssues } from './validation.ts'

export interface DeploymentWorkParts {
  store: Store
  actors: Actors
  secrets: SecretSources
}

/** What a piece of work has come to, and what is stored together with that. */
interface Outcome {
  event: Answer
  writes?: (at: number) => Write[]
}
type Answer = DeploymentEvent extends infer Event ? (Event extends Stamp ? Omit<Event, keyof Stamp> : never) : never

/** What the answer of a Deployment can show; more are counted. */
const issuesMax = 1_000

const unplaced: DeploymentIssue = {
  code: 'place_mismatch',
  path: '',
  message: 'The Release and the Configuration Revision are not both of this Environment.',
}

export class DeploymentWork implements DeploymentEffects {
  /** What the actor runtime has to know of Deployments. */
  readonly kind = deploymentKind(this)

  constructor(private readonly parts: DeploymentWorkParts) {}

  takeUp(id: string): Promise<void> {
    return this.#answer(id, { event: { type: 'taken' } })
  }

  validate(id: string): Promise<void> {
    return this.#work(id, 'validated', async (row, pinned) => {
      const issues = [...issuesOf(pinned), ...(await this.#secrets(row, pinned, 'assertUsable'))]
      return issues.length === 0 ? { event: { type: 'validated' } } : rejected('validation_failed', issues)
    })
  }

  provision(id: string): Promise<void> {
    return this.#work(id, 'provisioned', async (row, pinned) => {
      const issues = await this.#secrets(row, pinned, 'reveal')
      return issues.length === 0 ? { event: { type: 'provisioned' } } : rejected('secret_unavailable', issues)
    })
  }

  materialize(id: string): Promise<void> {
    return this.#work(id, 'materialized', async (row, pinned) => {
      const issues = missingIssues(needed(pinned))
      if (issues.length > 0) return rejected('validation_failed', issues)
      const { store } = this.parts
      const bundle = bundleOf(row, pinned)
      const served = await digestOfServed(store, bundle, pinned)
      const text = JSON.stringify(bundle)
      const stored = { deployment_id: id, bundle: text, digest: digestOfText(text) }
      return {
        event: { type: 'materialized', digest: served },
        writes: (at) => [insertDeploymentBundle(store, { ...stored, created_at: at })],
      }
    })
  }

  #secrets({ organization_id }: DeploymentRow, pinned: Pinned, look: 'assertUsable' | 'reveal') {
    return secretIssues(this.parts.secrets, organization_id, needed(pinned), look)
  }

  /** Does the work that ends with this event, unless the Deployment has moved on. */
  async #work(
    id: string,
    end: Answer['type'],
    work: (row: DeploymentRow, pinned: Pinned) => Promise<Outcome>,
  ): Promise<void> {
    const { store, actors } = this.parts
    const actor = await actors.read<DeploymentRow>(deploymentAddress(id))
    if (!actor || !actors.hasRow(actor, end)) return
    const pinned = await readPinned(store, actor.row)
    await this.#answer(id, pinned ? await work(actor.row, pinned) : rejected('validation_failed', [unplaced]))
  }

  /** What the chart refuses was answered before, or is of no interest any more. */
  async #answer(id: string, { event, writes = () => [] }: Outcome): Promise<void> {
    try {
      await this.parts.actors.send(deploymentAddress(id), event, { writes: ({ move }) => writes(move.event.at) })
    } catch (error) {
      if (!isOver(error)) throw error
    }
  }
}

const sentences = {
  validation_failed: 'What the Deployment pins is not complete or does not fit together',
  secret_unavailable: 'Secrets that the Deployment refers to cannot be read',
} as const

function rejected(code: keyof typeof sentences, issues: DeploymentIssue[]): Outcome {
  const count = issues.length === 1 ? '1 issue' : `${issues.length} issues`
  const rest = issues.length > issuesMax ? `; the first ${issuesMax} are listed` : ''
  const message = `${sentences[code]}: ${count}${rest}.`
  return { event: { type: 'rejected', failure: { code, message, issues: issues.slice(0, issuesMax) } } }
}
