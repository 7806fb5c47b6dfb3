/**
 * The work of a Deployment's states. Each step checks that its state still waits for it, does idempotent work and answers with
 * an event; it is repeated if the store is unavailable. Source: contract 3, "Deployment".
 */
import type { DeploymentEvent, DeploymentIssue } from '../../../machines/deployment.ts'
import type { Stamp } from '../../../machines/words.ts'
import { insertDeploymentBundle, insertDeploymentCredential } from '../../../storage/delivery/deployments.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { DeploymentRow } from '../../../storage/tables.ts'
import { digestOfTexts } from '../../platform/http/digest.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Actors } from '../../runtime/actors.ts'
import type { Again } from '../../runtime/kind.ts'
import { isOver } from '../../runtime/refusals.ts'
import { type DeploymentEffects, deploymentAddress, deploymentKind } from './actor.ts'
import { writeBundle } from './bundle-text.ts'
import { bundleOf, credentialsIn } from './bundling.ts'
import { needed } from './needs.ts'
import { OrganizationTurns } from './organization-turns.ts'
import type { Pinned } from './pinned.ts'
import { readPinned } from './read-pinned.ts'
import { type SecretSources, secretIssues } from './secrets.ts'
import { digestOfServed } from './served.ts'
import { issuesOf, missingIssues } from './validation.ts'

interface DeploymentWorkParts {
  store: Store
  clock: Clock
  actors: Actors
  secrets: SecretSources
}

/** The result of a step, with the writes that commit with it. */
interface Outcome {
  event: Answer
  writes?: (at: number) => Write[]
}
type Answer = DeploymentEvent extends infer Event ? (Event extends Stamp ? Omit<Event, keyof Stamp> : never) : never

/** The most issues stored; more are counted. */
const issuesMax = 1_000

const unplaced: DeploymentIssue = {
  code: 'place_mismatch',
  path: '',
  message: 'The Release or the Configuration Revision does not belong to this Environment.',
}

export class DeploymentWork implements DeploymentEffects {
  /** The definition for the actor runtime. */
  readonly kind = deploymentKind(this)

  /** Each step holds all contents of its Deployment in memory. */
  readonly #turns: OrganizationTurns

  constructor(private readonly parts: DeploymentWorkParts) {
    this.#turns = new OrganizationTurns(parts.clock)
  }

  takeUp(id: string): Promise<void> {
    return this.#answer(id, { event: { type: 'taken' } })
  }

  validate(id: string): Promise<Again | undefined> {
    return this.#work(id, 'validated', async (row, pinned) => {
      const issues = [...issuesOf(pinned), ...(await this.#secrets(row, pinned, 'assertUsable'))]
      return issues.length === 0 ? { event: { type: 'validated' } } : rejected('validation_failed', issues)
    })
  }

  provision(id: string): Promise<Again | undefined> {
    return this.#work(id, 'provisioned', async (row, pinned) => {
      const issues = await this.#secrets(row, pinned, 'reveal')
      return issues.length === 0 ? { event: { type: 'provisioned' } } : rejected('secret_unavailable', issues)
    })
  }

  materialize(id: string): Promise<Again | undefined> {
    return this.#work(id, 'materialized', async (row, pinned) => {
      const issues = missingIssues(needed(pinned))
      if (issues.length > 0) return rejected('validation_failed', issues)
      const { store } = this.parts
      const bundle = bundleOf(row, pinned)
      const served = await digestOfServed(store, bundle, pinned)
      const text = await writeBundle(bundle)
      const credentials = credentialsIn(bundle).map((credential_id) => ({ deployment_id: id, credential_id }))
      const stored = { deployment_id: id, bundle: text, digest: (await digestOfTexts([text])).digest }
      return {
        event: { type: 'materialized', digest: served },
        writes: (at) => [
          insertDeploymentBundle(store, { ...stored, created_at: at }),
          ...credentials.map((credential) => insertDeploymentCredential(store, credential)),
        ],
      }
    })
  }

  #secrets({ organization_id }: DeploymentRow, pinned: Pinned, look: 'assertUsable' | 'reveal') {
    return secretIssues(this.parts.secrets, organization_id, needed(pinned), look)
  }

  /** Runs the step that ends with this event, unless the Deployment has moved on. */
  async #work(
    id: string,
    end: Answer['type'],
    work: (row: DeploymentRow, pinned: Pinned) => Promise<Outcome>,
  ): Promise<Again | undefined> {
    const { store, actors } = this.parts
    const find = () => actors.read<DeploymentRow>(deploymentAddress(id))
    const found = await find()
    if (!found) return undefined
    return this.#turns.take(found.row.organization_id, async () => {
      const actor = await find()
      if (!actor || !actors.hasRow(actor, end)) return
      const pinned = await readPinned(store, actor.row)
      await this.#answer(id, pinned ? await work(actor.row, pinned) : rejected('validation_failed', [unplaced]))
    })
  }

  /** A refused event was reported before, or is obsolete. */
  async #answer(id: string, { event, writes = () => [] }: Outcome): Promise<void> {
    try {
      await this.parts.actors.send(deploymentAddress(id), event, { writes: ({ move }) => writes(move.event.at) })
    } catch (error) {
      if (!isOver(error)) throw error
    }
  }
}

const sentences = {
  validation_failed: 'The pinned resources are incomplete or inconsistent',
  secret_unavailable: 'Secrets of the Deployment cannot be used',
} as const

function rejected(code: keyof typeof sentences, issues: DeploymentIssue[]): Outcome {
  const count = issues.length === 1 ? '1 issue' : `${issues.length} issues`
  const rest = issues.length > issuesMax ? `; the first ${issuesMax} are listed` : ''
  const message = `${sentences[code]}: ${count}${rest}.`
  return { event: { type: 'rejected', failure: { code, message, issues: issues.slice(0, issuesMax) } } }
}
