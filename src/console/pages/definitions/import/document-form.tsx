/**
 * An OpenAPI document, pasted or from a file. Only the parts that an import reads are sent. If the document is large, the
 * user first chooses operations.
 */
import { useState } from 'react'
import { cutDocument, operationsOfDocument } from '../../../../../sdk/src/define/openapi.ts'
import { Form, Labelled, TextArea } from '../../../ui/forms/form.tsx'
import { documentIn } from './document-text.ts'
import { chosenMax, OperationPicker } from './operation-picker.tsx'
import { type AskProps, ConnectionField } from './request.tsx'

export function DocumentForm({ action }: AskProps) {
  const [file, setFile] = useState<File>()
  const [fault, setFault] = useState<string>()
  const [large, setLarge] = useState<{ document: Record<string, unknown>; connection: string }>()
  async function ask(pasted: string, connection: string) {
    const parsed = await documentIn(file ? await file.text() : pasted)
    setFault('fault' in parsed ? parsed.fault : undefined)
    if ('fault' in parsed) return
    const { document } = parsed
    const ids = operationsOfDocument(document).map(({ id }) => id)
    if (ids.length > chosenMax) setLarge({ document, connection })
    else await action.run({ openapi: cutDocument(document, ids), connection })
  }
  if (large) {
    const { document, connection } = large
    return (
      <OperationPicker
        document={document}
        action={action}
        onChoose={(operations) => action.run({ openapi: cutDocument(document, operations), operations, connection })}
        onBack={() => setLarge(undefined)}
      />
    )
  }
  const issues = fault === undefined ? [] : [{ path: '/body/openapi', message: fault }]
  return (
    <Form action={action} submit="Review operations" onSubmit={(text) => ask(text('document'), text('connection'))}>
      <Labelled
        label="File"
        hint="OpenAPI 3.0 or 3.1, as JSON or YAML. If it is large, you choose its operations in the next step."
        issues={issues}
      >
        {(wiring) => (
          <input
            {...wiring}
            type="file"
            accept=".json,.yaml,.yml,application/json,application/yaml"
            onChange={({ target }) => setFile(target.files?.[0])}
          />
        )}
      </Labelled>
      <TextArea name="document" label="Or paste its text" rows={8} spellCheck={false} required={file === undefined} />
      <ConnectionField />
    </Form>
  )
}
