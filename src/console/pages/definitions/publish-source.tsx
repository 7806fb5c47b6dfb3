/** The next revision of a Definition: its source as JSON, with what is wrong at its lines. */
import { useState } from 'react'
import type { Definition, DefinitionRevision } from '../../../definitions/schema.ts'
import type { DefinitionSource } from '../../../definitions/source.ts'
import { describeFailure, useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { Button } from '../../ui/button.tsx'
import { counted } from '../../ui/counted.ts'
import { Diff } from '../../ui/diff.tsx'
import { JsonEditor } from '../../ui/json-editor.tsx'
import { readJson } from '../../ui/json-text.ts'
import { starters } from './starters.ts'

interface PublishSourceProps {
  definition: Definition
  latest: DefinitionRevision | undefined
  published: () => void
}

export function PublishSource({ definition, latest, published }: PublishSourceProps) {
  const api = useApi()
  const { projectId, id: definitionId, kind } = definition
  const begin = latest?.source ?? starters[kind]
  const [text, setText] = useState(() => JSON.stringify(begin, null, 2))
  const [comparing, setComparing] = useState(false)
  const publish = useAction(
    (source: DefinitionSource) =>
      api.v1.projects({ projectId }).definitions({ definitionId }).revisions.post({ source }),
    {
      success: ({ number }) => `Revision ${number} is published`,
      changes: [
        ['definitions', projectId],
        ['parts', projectId],
      ],
      done: published,
      quiet: true,
    },
  )
  const { value, fault } = readJson(text)
  const { failure, issues } = publish
  const number = (latest?.number ?? 0) + 1
  return (
    <div className="stack">
      {failure && (
        <div className="banner banner-bad" role="alert">
          <span>
            {issues.length > 0
              ? `${counted(issues.length, 'problem')}: nothing was published.`
              : describeFailure(failure).text}
          </span>
        </div>
      )}
      <JsonEditor label="Source" value={text} onChange={setText} issues={issues} at="/body/source" rows={26} />
      <footer className="form-actions">
        <Button
          tone="primary"
          pending={publish.pending}
          disabled={fault !== undefined}
          onClick={() => publish.run(value as DefinitionSource)}
        >
          Publish revision {number}
        </Button>
        {latest && (
          <Button aria-expanded={comparing} onClick={() => setComparing(!comparing)}>
            What changes
          </Button>
        )}
        <Button
          tone="quiet"
          onClick={() => {
            setText(JSON.stringify(begin, null, 2))
            publish.reset()
          }}
        >
          Begin again
        </Button>
      </footer>
      {comparing && latest && (
        <Diff label={`Against revision ${latest.number}`} before={latest.source} after={value ?? text} />
      )}
    </div>
  )
}
