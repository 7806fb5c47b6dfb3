/** Chooses the Agents or Definitions of a Release, and their revisions. */
import { useState } from 'react'
import { sent } from '../../api/client.ts'
import { useAccess } from '../../data/context.ts'
import { once } from '../../data/queries.ts'
import { useReading } from '../../data/resource.ts'
import { Button } from '../../ui/forms/button.tsx'
import { useIds } from '../../use-place.ts'

/** Revision by Agent or Definition id; null: left out. */
export type Choice = Record<string, string | null>

type Kind = 'agents' | 'definitions'

interface Thing {
  id: string
  name: string
  status: string
  latestRevisionId: string | null
}

interface PinChoicesProps {
  title: string
  kind: Kind
  things: readonly Thing[]
  choice: Choice
  onChoose: (choice: Choice) => void
}

export function PinChoices({ title, kind, things, choice, onChoose }: PinChoicesProps) {
  const set = (id: string, revisionId: string | null) => onChoose({ ...choice, [id]: revisionId })
  return (
    <fieldset className="pin-choices">
      <legend>{title}</legend>
      {things.length === 0 && <p className="faint">None.</p>}
      {things.map(({ id, name, status, latestRevisionId }) => {
        const revisionId = choice[id] ?? null
        const possible = latestRevisionId !== null && status === 'active'
        return (
          <div key={id} className="pin-choice">
            <label>
              <input
                type="checkbox"
                checked={revisionId !== null}
                disabled={!possible}
                onChange={({ target }) => set(id, target.checked ? latestRevisionId : null)}
              />
              {name}
            </label>
            {!possible && <span className="faint">{status === 'active' ? 'not published' : status}</span>}
            {revisionId !== null && (
              <RevisionChoice
                kind={kind}
                id={id}
                name={name}
                revisionId={revisionId}
                onChoose={(revisionId) => set(id, revisionId)}
              />
            )}
          </div>
        )
      })}
    </fieldset>
  )
}

interface RevisionChoiceProps {
  kind: Kind
  id: string
  name: string
  revisionId: string
  onChoose: (revisionId: string) => void
}

interface Revision {
  id: string
  number: number
}

/** Number of revisions offered. */
const offered = 30

/** The revision's number; the others load when the list is opened. */
function RevisionChoice({ kind, id, name, revisionId, onChoose }: RevisionChoiceProps) {
  const { api, queries } = useAccess()
  const { projectId } = useIds('projectId')
  const [choosing, setChoosing] = useState(false)
  const project = api.v1.projects({ projectId })
  const readNumber = async (): Promise<number> => {
    const reading =
      kind === 'agents'
        ? sent(project.agents({ agentId: id }).revisions({ revisionId }).get())
        : sent(project.definitions({ definitionId: id }).revisions({ revisionId }).get())
    return (await reading).data.number
  }
  const readOthers = async (): Promise<Revision[]> => {
    const query = { limit: offered }
    const reading =
      kind === 'agents'
        ? sent(project.agents({ agentId: id }).revisions.get({ query }))
        : sent(project.definitions({ definitionId: id }).revisions.get({ query }))
    return (await reading).data.items
  }
  const number = useReading(['number', revisionId], () => once(queries, `number ${revisionId}`, readNumber))
  const others = useReading(choosing ? ['revisions', id, 'choice'] : null, () => readOthers())
  if (!choosing || !others.value) {
    return (
      <Button
        small
        tone="quiet"
        pending={choosing && others.loading}
        aria-label={`${name}: another revision`}
        title="Another revision"
        onClick={() => setChoosing(true)}
      >
        revision {number.value ?? '…'}
      </Button>
    )
  }
  return (
    <select aria-label={`Revision of ${name}`} value={revisionId} onChange={({ target }) => onChoose(target.value)}>
      {others.value.map((revision) => (
        <option key={revision.id} value={revision.id}>
          {`revision ${revision.number}`}
        </option>
      ))}
    </select>
  )
}
