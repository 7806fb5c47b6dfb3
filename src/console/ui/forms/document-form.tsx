/** A form for a document, as JSON or YAML: from a file, or pasted. What cannot be read is reported at its field. */
import { type ReactNode, useRef, useState } from 'react'
import { DocumentFault, documentIn } from '../../../platform/documents.ts'
import { Form, type FormProps, Labelled, TextArea } from './form.tsx'

interface DocumentFormProps extends Pick<FormProps, 'action' | 'submit'> {
  /** Name of the field of the text. */
  name: string
  hint: string
  rows?: number
  children?: ReactNode
  /** `isCurrent` tells, also later, whether the form still holds this document. */
  onSubmit: (document: Record<string, unknown>, text: (name: string) => string, isCurrent: () => boolean) => unknown
  onChange?: () => void
}

export function DocumentForm({ name, hint, rows = 8, children, onSubmit, onChange, ...form }: DocumentFormProps) {
  const [file, setFile] = useState<File>()
  const [fault, setFault] = useState<string>()
  const changes = useRef(0)
  const change = () => {
    changes.current += 1
    onChange?.()
  }
  async function read(text: (name: string) => string) {
    const asked = changes.current
    try {
      const given = file ? new Uint8Array(await file.arrayBuffer()) : text(name)
      const document = await documentIn(given, file?.name ?? 'The text')
      setFault(undefined)
      await onSubmit(document, text, () => asked === changes.current)
    } catch (thrown) {
      if (!(thrown instanceof DocumentFault)) throw thrown
      // below its first line, the parser of YAML draws the place
      setFault(thrown.message.split('\n', 1)[0]?.replace(/:$/, '.'))
    }
  }
  const issues = fault === undefined ? [] : [{ path: `/body/${name}`, message: fault }]
  return (
    <Form {...form} onSubmit={read}>
      <Labelled label="File" hint={hint} issues={issues}>
        {(wiring) => (
          <input
            {...wiring}
            type="file"
            accept=".json,.yaml,.yml,application/json,application/yaml"
            onChange={({ target }) => {
              setFile(target.files?.[0])
              change()
            }}
          />
        )}
      </Labelled>
      <TextArea
        name={name}
        label="Or paste its text"
        rows={rows}
        spellCheck={false}
        required={file === undefined}
        onChange={change}
      />
      {children}
    </Form>
  )
}
