/** An OpenAPI document, pasted or from a file. */
import { useState } from 'react'
import { Form, Labelled, TextArea } from '../../../ui/forms/form.tsx'
import { readJson } from '../../../ui/text/json-text.ts'
import { type AskProps, ConnectionField } from './request.tsx'

export function DocumentForm({ action }: AskProps) {
  const [file, setFile] = useState<File>()
  const [fault, setFault] = useState<string>()
  async function ask(pasted: string, connection: string) {
    const { value, fault } = readJson(file ? await file.text() : pasted)
    const isDocument = typeof value === 'object' && value !== null && !Array.isArray(value)
    setFault(isDocument ? undefined : `This is not a JSON object: ${fault?.message ?? 'a document begins with {'}.`)
    if (isDocument) await action.run({ openapi: value as Record<string, unknown>, connection })
  }
  const issues = fault === undefined ? [] : [{ path: '/body/openapi', message: fault }]
  return (
    <Form action={action} submit="Review operations" onSubmit={(text) => ask(text('document'), text('connection'))}>
      <Labelled label="File" hint="OpenAPI 3.0 or 3.1, as JSON of at most 10 MiB." issues={issues}>
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
