/** Chooses the Agents or Definitions of a Release, and their revisions. */
import { useState } from 'react'
import { sent } from '../../api/client.ts'
import { byName } from '../../data/choices.ts'
import { useAccess } from '../../data/context.ts'
import { once } from '../../data/queries.ts'
import { useReading } from '../../data/resource.ts'
import { Button } from '../../ui/forms/button.tsx'
import { shortenedId } from '../../ui/text/shortened-id.ts'
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

/** More than these have a search, and the numbers of their newest revisions are not read. */
const fewMax = 12

const isPossible = ({ latestRevisionId, status }: Thing) => latestRevisionId !== null && status === 'active'

export function PinChoices({ title, kind, things, choice, onChoose }: PinChoicesProps) {
  const [text, setText] = useState('')
  const set = (id: string, revisionId: string | null) => onChoose({ ...choice, [id]: revisionId })
  const areMany = things.length > fewMax
  const sought = text.trim().toLowerCase()
  // those that can be chosen first
  const found = byName(things)
    .filter(({ name }) => name.toLowerCase().includes(sought))
    .sort((one, other) => Number(isPossible(other)) - Number(isPossible(one)))
  const setAll = (isIncluded: boolean) =>
    onChoose({
      ...choice,
      ...Object.fromEntries(
        found
          .filter(isPossible)
          .map((each) => [each.id, isIncluded ? (choice[each.id] ?? each.latestRevisionId) : null]),
      ),
    })
  return (
    <fieldset className="pin-choices">
      <legend>{title}</legend>
      {things.length === 0 && <p className="faint">None.</p>}
      {areMany && (
        <div className="row pin-search">
          <input
            type="search"
            aria-label={`Find in ${title}`}
            placeholder="Find by name"
            value={text}
            onChange={({ target }) => setText(target.value)}
            // Enter would create the Release
            onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
          />
          <Button small onClick={() => setAll(true)}>
            All
          </Button>
          <Button small onClick={() => setAll(false)}>
            None
          </Button>
        </div>
      )}
      {found.length === 0 && things.length > 0 && <p className="faint">No match.</p>}
      {found.map((thing) => {
        const { id, name, status, latestRevisionId } = thing
        const revisionId = choice[id] ?? null
        const possible = isPossible(thing)
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
                isNamedLate={areMany && revisionId === latestRevisionId}
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
  /** The newest of many: its number is read with the others, when the list is opened. */
  isNamedLate: boolean
  onChoose: (revisionId: string) => void
}

interface Revision {
  id: string
  number: number
}

/** Number of revisions offered. */
const offered = 30

/** The revision's number; the others load when the list is opened. */
function RevisionChoice({ kind, id, name, revisionId, isNamedLate, onChoose }: RevisionChoiceProps) {
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
  const number = useReading(isNamedLate ? null : ['number', revisionId], () =>
    once(queries, `number ${revisionId}`, readNumber),
  )
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
        {isNamedLate
          ? 'newest revision'
          : `revision ${number.value ?? (number.loading ? '…' : shortenedId(revisionId))}`}
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
