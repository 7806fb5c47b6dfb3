/** The result of an import: operations to choose from, and skipped ones with their reasons. */
import { useState } from 'react'
import type { Operation, OperationsSource } from '../../../../authoring/definitions/source.ts'
import { Tag } from '../../../ui/badge.tsx'
import { counted } from '../../../ui/counted.ts'
import { Button } from '../../../ui/forms/button.tsx'

interface Found {
  source: OperationsSource
  skipped: { name: string; reason: string }[]
  suggestedConnection?: { baseUrl: string | null; auth?: string; headerName?: string } | undefined
}

interface ToolChoicesProps {
  found: Found
  onChoose: (operations: Operation[]) => void
  onBack: () => void
}

export function ToolChoices({ found: { source, skipped, suggestedConnection }, onChoose, onBack }: ToolChoicesProps) {
  const { operations } = source
  const [chosen, setChosen] = useState(() => new Set(operations.map(({ name }) => name)))
  const toggle = (name: string) => {
    const next = new Set(chosen)
    if (!next.delete(name)) next.add(name)
    setChosen(next)
  }
  return (
    <div className="stack">
      {suggestedConnection?.baseUrl && (
        <p>
          The document is for a Connection to <code>{suggestedConnection.baseUrl}</code>
          {suggestedConnection.auth && ` with the authentication ${suggestedConnection.auth}`}
          {suggestedConnection.headerName && ` in ${suggestedConnection.headerName}`}.
        </p>
      )}
      {operations.length === 0 && <p>No operation can be imported.</p>}
      <ul className="import-choices" aria-label="Operations">
        {operations.map(({ name, description, effect }) => (
          <li key={name}>
            <label>
              <input type="checkbox" checked={chosen.has(name)} onChange={() => toggle(name)} />
              <code>{name}</code> <Tag>{effect}</Tag> <span className="faint">{firstLine(description)}</span>
            </label>
          </li>
        ))}
      </ul>
      {skipped.length > 0 && (
        <details>
          <summary>{counted(skipped.length, 'operation')} skipped</summary>
          <ul className="import-choices">
            {skipped.map(({ name, reason }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a document may contain the same name twice, and the list does not change
              <li key={index}>
                <code>{name}</code> {reason}
              </li>
            ))}
          </ul>
        </details>
      )}
      <footer className="form-actions">
        <Button
          tone="primary"
          disabled={chosen.size === 0}
          onClick={() => onChoose(operations.filter(({ name }) => chosen.has(name)))}
        >
          Import {counted(chosen.size, 'operation')}
        </Button>
        <Button
          tone="quiet"
          onClick={() => setChosen(new Set(chosen.size === 0 ? operations.map(({ name }) => name) : []))}
        >
          {chosen.size === 0 ? 'Choose all' : 'Choose none'}
        </Button>
        <Button tone="quiet" onClick={onBack}>
          Back
        </Button>
      </footer>
    </div>
  )
}

const firstLine = (text: string) => text.split('\n', 1)[0]
