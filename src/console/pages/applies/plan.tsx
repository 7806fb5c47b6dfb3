/** The changes of an Apply. */
import type { Apply } from '../../../automation/applies/schema.ts'
import { StateBadge } from '../../ui/badge.tsx'
import { counted } from '../../ui/counted.ts'
import { ChangeLine } from '../delivery/changes/changes.tsx'
import { line } from '../delivery/changes/difference-words.ts'

type Plan = Apply['plan']
type Change = Plan['changes'][number]

export const changedIn = ({ changes }: Plan): Change[] => changes.filter(({ action }) => action !== 'unchanged')

const words = { create: 'new', revise: 'new revision', update: 'changed', unchanged: 'unchanged', remove: 'removed' }
const tones = { create: 'good', revise: 'waiting', update: 'waiting', unchanged: 'idle', remove: 'bad' } as const
const kinds: Record<Change['kind'], string> = {
  project: 'Project',
  environment: 'Environment',
  definition: 'Definition',
  agent: 'Agent',
  variable: 'Variable',
  connection: 'Connection',
  model: 'Model of',
  job: 'Job',
  webhook: 'Webhook',
}

export function PlanView({ plan }: { plan: Plan }) {
  const changed = changedIn(plan)
  const same = plan.changes.length - changed.length
  return (
    <div className="stack">
      {changed.length > 0 && (
        <ul className="surface changes" aria-label="Changes">
          {changed.map(({ action, kind, name, differences }) => (
            <li key={`${kind} ${name}`} className="change">
              <p className="row">
                <strong>
                  {kinds[kind]} {name}
                </strong>
                <StateBadge state={words[action]} tone={tones[action]} />
              </p>
              {differences.length > 0 && (
                <ul className="change-lines">
                  {differences.map((difference) => (
                    <ChangeLine key={difference.path} line={line(difference)} />
                  ))}
                </ul>
              )}
            </li>
          ))}
        </ul>
      )}
      <p className="faint">
        {changed.length === 0 ? 'Nothing had to be changed.' : same > 0 ? `${counted(same, 'part')} unchanged.` : ''}
      </p>
    </div>
  )
}
