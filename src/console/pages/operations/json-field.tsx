/** A JSON field, with its schema's fields beside it. */
import type { Issue } from '../../api/failure.ts'
import { JsonEditor } from '../../ui/text/json-editor.tsx'
import { exampleOf, outlineOf } from './schema-outline.ts'
import './operations.css'

interface JsonFieldProps {
  label: string
  /** Field name in the request body. */
  name: string
  value: string
  onChange: (text: string) => void
  issues: readonly Issue[]
  schema?: unknown
  rows?: number
}

export const exampleText = (schema: unknown): string => JSON.stringify(exampleOf(schema), null, 2)

export function JsonField({ label, name, value, onChange, issues, schema, rows = 8 }: JsonFieldProps) {
  const fields = outlineOf(schema)
  return (
    <div className="stack">
      {/* the editor shows this field's issues */}
      <input type="hidden" name={name} />
      <JsonEditor label={label} value={value} onChange={onChange} issues={issues} at={`/body/${name}`} rows={rows} />
      {fields.length > 0 && (
        <dl className="outline" aria-label={`Fields of ${label}`}>
          {fields.map(({ name, type, required, description }) => (
            <div key={name}>
              <dt>
                <code>{name}</code>
                {!required && <span className="faint"> optional</span>}
              </dt>
              <dd>
                <span className="outline-type">{type}</span>
                {description && <span className="faint">{description}</span>}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {schema !== undefined && (
        <details className="outline-schema">
          <summary>JSON Schema</summary>
          <pre>{JSON.stringify(schema, null, 2)}</pre>
        </details>
      )}
    </div>
  )
}
