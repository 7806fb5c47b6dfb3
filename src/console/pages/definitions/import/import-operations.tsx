/** Imports operations into the draft of the next revision: choose a source, then operations. */
import { useState } from 'react'
import type { Definition } from '../../../../authoring/definitions/schema.ts'
import type { Operation, OperationsSource } from '../../../../authoring/definitions/source.ts'
import { useAction } from '../../../data/action.ts'
import { useApi } from '../../../data/context.ts'
import { Button } from '../../../ui/forms/button.tsx'
import { Dialog } from '../../../ui/forms/dialog.tsx'
import { Segments } from '../../../ui/segments.tsx'
import { merged } from './merged.ts'
import { OpenApiForm } from './openapi-form.tsx'
import type { ImportRequest } from './request.tsx'
import { ServerForm } from './server-form.tsx'
import { ToolChoices } from './tool-choices.tsx'

interface ImportOperationsProps {
  definition: Definition
  /** The source of the previous revision. */
  before: OperationsSource | undefined
  onImport: (source: OperationsSource) => void
}

type Origin = 'document' | 'server'

export function ImportOperations({ definition, before, onImport }: ImportOperationsProps) {
  const api = useApi()
  const { projectId, id: definitionId } = definition
  const [open, setOpen] = useState(false)
  const [origin, setOrigin] = useState<Origin>('document')
  const [found, setFound] = useState<Parameters<typeof ToolChoices>[0]['found']>()
  const ask = useAction(
    (body: ImportRequest) => api.v1.projects({ projectId }).definitions({ definitionId }).import.post(body),
    { done: setFound, quiet: true },
  )
  const close = () => {
    setOpen(false)
    setFound(undefined)
    ask.reset()
  }
  const choose = (operations: Operation[]) => {
    onImport(merged(before, operations))
    close()
  }
  return (
    <>
      <Button needs="definitions:update" onClick={() => setOpen(true)}>
        Import operations
      </Button>
      <Dialog title="Import operations" open={open} onClose={close} shape="wide">
        {found ? (
          <ToolChoices found={found} onChoose={choose} onBack={() => setFound(undefined)} />
        ) : (
          <div className="stack">
            <Segments<Origin>
              label="Import from"
              value={origin}
              onChoose={setOrigin}
              options={[
                { value: 'document', title: 'OpenAPI document' },
                { value: 'server', title: 'MCP server' },
              ]}
            />
            {origin === 'document' ? <OpenApiForm action={ask} /> : <ServerForm projectId={projectId} action={ask} />}
          </div>
        )}
      </Dialog>
    </>
  )
}
