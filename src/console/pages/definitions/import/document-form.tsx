/** An OpenAPI document, pasted or from a file. Of a large one the wanted operations are chosen first, and only their part is sent. */
import { useState } from 'react'
import { cutDocument, operationsOfDocument } from '../../../../../sdk/src/define/openapi.ts'
import { Form, Labelled, TextArea } from '../../../ui/forms/form.tsx'
import { readJson } from '../../../ui/text/json-text.ts'
import { chosenMax, OperationPicker } from './operation-picker.tsx'
import { type AskProps, ConnectionField } from './request.tsx'

type Document = Record<string, unknown>

/** The document, or why it is none. */
function documentIn(text: string): Document | string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // says in which line, which takes longer
    const { fault } = readJson(text)
    return `This is not a JSON object: ${fault?.message ?? 'a document begins with {'}.`
  }
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Document) : 'This is not a JSON object: a document begins with {.'
}

export function DocumentForm({ action }: AskProps) {
  const [file, setFile] = useState<File>()
  const [fault, setFault] = useState<string>()
  const [large, setLarge] = useState<{ document: Document; connection: string }>()
  async function ask(pasted: string, connection: string) {
    const document = documentIn(file ? await file.text() : pasted)
    setFault(typeof document === 'string' ? document : undefined)
    if (typeof document === 'string') return
    if (operationsOfDocument(document).length > chosenMax) setLarge({ document, connection })
    else await action.run({ openapi: document, connection })
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
        hint="OpenAPI 3.0 or 3.1, as JSON. Of a large one you choose the operations next."
        issues={issues}
      >
        {(wiring) => (
          <input
            {...wiring}
            type="file"
            accept=".json,application/json"
            onChange={({ target }) => setFile(target.files?.[0])}
          />
        )}
      </Labelled>
      <TextArea name="document" label="Or its text" rows={8} spellCheck={false} required={file === undefined} />
      <ConnectionField />
    </Form>
  )
}
