/** A chart with title, legend, and the same figures as a table. */
import { type ReactNode, useState } from 'react'
import { Button } from '../../ui/forms/button.tsx'

interface ChartCardProps {
  title: string
  about?: string
  /** Legend. */
  legend?: { title: string; token: string; value?: string }[]
  chart: ReactNode
  /** The figures as a table, also for screen readers. */
  table: { columns: string[]; rows: (string | number)[][] }
}

export function ChartCard({ title, about, legend = [], chart, table }: ChartCardProps) {
  const [asTable, setAsTable] = useState(false)
  return (
    <section className="panel chart-card" aria-label={title}>
      <header className="chart-card-head">
        <div>
          <h2>{title}</h2>
          {about && <p className="faint">{about}</p>}
        </div>
        <Button small tone="quiet" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          {asTable ? 'As chart' : 'As table'}
        </Button>
      </header>
      {asTable ? <Figures title={title} {...table} /> : chart}
      {!asTable && legend.length > 0 && (
        <ul className="chart-legend">
          {legend.map(({ title, token, value }) => (
            <li key={title}>
              <span className="chart-colour" style={{ background: `var(${token})` }} aria-hidden="true" />
              {title}
              {value !== undefined && <strong className="number">{value}</strong>}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const Figures = ({ title, columns, rows }: ChartCardProps['table'] & { title: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be focusable
  <section className="chart-figures" tabIndex={0} aria-label={`${title}: figures`}>
    <table className="chart-table">
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([first, ...rest]) => (
          <tr key={first}>
            <th scope="row">{first}</th>
            {rest.map((value, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the columns never change
              <td key={place}>{value}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
