/** Publishes the next revision of a Definition, with issues at their lines. */
import { useState } from 'react'
import type { Definition, DefinitionRevision } from '../../../authoring/definitions/schema.ts'
import type { DefinitionSource, OperationsSource } from '../../../authoring/definitions/source.ts'
import { useAction } from '../../data/action.ts'
import { useApi } from '../../data/context.ts'
import { textOf } from '../../ui/text/json-text.ts'
import { useDraft } from '../revisions/drafts/use-draft.ts'
import { PublishRevision } from '../revisions/publish.tsx'
import { changesOf } from '../revisions/revised.ts'
import { ImportOperations } from './import/import-operations.tsx'
import { starters } from './starters.ts'
import { useSourceTrial } from './use-source-trial.tsx'

interface PublishSourceProps {
  definition: Definition
  latest: DefinitionRevision | undefined
  published: (revision: { number: number }) => void
}

export function PublishSource({ definition, latest, published }: PublishSourceProps) {
  const api = useApi()
  const { projectId, id: definitionId, kind } = definition
  const publish = useAction(
    (source: DefinitionSource) =>
      api.v1.projects({ projectId }).definitions({ definitionId }).revisions.post({ source }),
    {
      success: ({ number }) => `Revision ${number} published`,
      changes: changesOf('definitions', projectId),
      done: published,
      quiet: true,
    },
  )
  const begin = latest?.source ?? starters[kind]
  const kept = useDraft(definitionId, latest, begin)
  const [draft, setDraft] = useState<unknown>(kept.value)
  const [imported, setImported] = useState<{ source: OperationsSource; times: number }>()
  const trial = useSourceTrial(definition, latest, draft)
  const before = latest && 'operations' in latest.source ? latest.source : undefined
  return (
    <div className="stack">
      {kind === 'operations' && (
        <div>
          <ImportOperations
            definition={definition}
            before={before}
            onImport={(source) => {
              setImported((last) => ({ source, times: (last?.times ?? 0) + 1 }))
              kept.keep(textOf(source))
              setDraft(source)
            }}
          />
        </div>
      )}
      <PublishRevision
        key={imported?.times}
        latest={latest}
        begin={begin}
        kept={kept}
        imported={imported?.source}
        label="Source"
        at="/body/source"
        action={publish}
        onDraft={setDraft}
        trial={trial}
      />
    </div>
  )
}
