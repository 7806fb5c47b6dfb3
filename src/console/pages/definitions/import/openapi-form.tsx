/**
 * An OpenAPI document, pasted or from a file. Only the parts that an import reads are sent. If the document is large,
 * the user first chooses operations.
 */
import { useState } from 'react'
import { cutDocument, operationsOfDocument } from '../../../../../sdk/src/define/openapi.ts'
import { DocumentForm } from '../../../ui/forms/document-form.tsx'
import { chosenMax, OperationPicker } from './operation-picker.tsx'
import { type AskProps, ConnectionField } from './request.tsx'

export function OpenApiForm({ action }: AskProps) {
  const [large, setLarge] = useState<{ document: Record<string, unknown>; connection: string }>()
  async function ask(document: Record<string, unknown>, connection: string) {
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
  return (
    <DocumentForm
      action={action}
      submit="Review operations"
      name="document"
      hint="OpenAPI 3.0 or 3.1, as JSON or YAML. If it is large, you choose its operations in the next step."
      onSubmit={(document, text) => ask(document, text('connection'))}
    >
      <ConnectionField />
    </DocumentForm>
  )
}
