/** Chooses operations of a large document; an import takes at most a hundred. */
import { useState } from 'react'
import { type DocumentedOperation, operationsOfDocument } from '../../../../../sdk/src/define/openapi.ts'
import { FailureText } from '../../../ui/failure-text.tsx'
import { Button } from '../../../ui/forms/button.tsx'
import type { AskProps } from './request.tsx'

/** The most operations of one import. */
export const chosenMax = 100
/** The most operations shown; a search finds the others. */
const shownMax = 200

interface OperationPickerProps {
  document: Record<string, unknown>
  action: AskProps['action']
  onChoose: (ids: string[]) => unknown
  onBack: () => void
}

/** Whether it matches every word of the search. */
const matches = ({ id, method, path, summary }: DocumentedOperation, search: string): boolean => {
  const text = `${id} ${method} ${path} ${summary}`.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

export function OperationPicker({ document, action, onChoose, onBack }: OperationPickerProps) {
  const [all] = useState(() => operationsOfDocument(document))
  const [search, setSearch] = useState('')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const found = all.filter((operation) => matches(operation, search))
  const shown = found.slice(0, shownMax)
  const toggle = (id: string) => {
    const next = new Set(chosen)
    if (!next.delete(id)) next.add(id)
    setChosen(next)
  }
  const isFull = chosen.size >= chosenMax
  return (
    <div className="stack">
      <p>
        The document has {all.length.toLocaleString('en')} operations. Choose at most {chosenMax}, the limit of a
        Definition.
      </p>
      <input
        type="search"
        aria-label="Search operations"
        placeholder="Search by name, path or summary"
        autoComplete="off"
        value={search}
        onChange={({ target }) => setSearch(target.value)}
      />
      <ul className="import-choices" aria-label="Operations of the document">
        {shown.map(({ id, method, path, summary }) => (
          <li key={`${method} ${path}`}>
            <label>
              <input
                type="checkbox"
                checked={chosen.has(id)}
                disabled={isFull && !chosen.has(id)}
                onChange={() => toggle(id)}
              />
              <code>{id}</code> <span className="faint">{`${method} ${path}`}</span> <span>{summary}</span>
            </label>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="faint">No operation matches “{search.trim()}”.</p>}
      {found.length > shown.length && (
        <p className="faint">{(found.length - shown.length).toLocaleString('en')} more. Search to see them.</p>
      )}
      {action.failure && (
        <div className="banner banner-bad" role="alert">
          <FailureText failure={action.failure} />
        </div>
      )}
      <footer className="form-actions">
        <Button
          tone="primary"
          disabled={chosen.size === 0}
          pending={action.pending}
          onClick={() => void onChoose([...chosen])}
        >
          Review {chosen.size}
        </Button>
        <Button tone="quiet" disabled={chosen.size === 0} onClick={() => setChosen(new Set())}>
          Choose none
        </Button>
        <Button tone="quiet" onClick={onBack}>
          Back
        </Button>
      </footer>
    </div>
  )
}
