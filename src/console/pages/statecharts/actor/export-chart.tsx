/** Exports a statechart as a picture, as JSON, for Stately's editor, and for Mermaid. */

import type { Direction } from '../../../../runtime/statecharts/layouts/chart-layout.ts'
import { download, drawingOf, pngOf, presentPalette } from '../../../charts/drawing/drawing.ts'
import { layoutOf } from '../../../charts/drawing/layouts.ts'
import type { ChartModel } from '../../../charts/model.ts'
import type { FullMachine } from '../../../charts/use-machine.ts'
import { Button } from '../../../ui/forms/button.tsx'
import { Section } from '../../../ui/page.tsx'
import { Code, Json } from '../../../ui/text/code.tsx'
import { useToasts } from '../../../ui/toasts.tsx'

interface ExportChartProps {
  machine: FullMachine
  model: ChartModel
  direction: Direction
}

const jsonOf = (machine: FullMachine) => new Blob([JSON.stringify(machine, null, 2)], { type: 'application/json' })

export function ExportChart({ machine, model, direction }: ExportChartProps) {
  const { say } = useToasts()
  const keep = async (form: 'svg' | 'png') => {
    try {
      const layout = await layoutOf(model, direction)
      const svg = drawingOf(model, layout, presentPalette())
      const picture = form === 'svg' ? new Blob([svg], { type: 'image/svg+xml' }) : await pngOf(svg, layout)
      download(`${model.kind}-statechart.${form}`, picture)
    } catch {
      say({ tone: 'bad', title: 'Download failed', text: 'This browser could not draw the picture.' })
    }
  }
  return (
    <div className="stack">
      <Section title="Picture">
        <p className="row">
          <Button small onClick={() => void keep('svg')}>
            Download SVG
          </Button>
          <Button small onClick={() => void keep('png')}>
            Download PNG
          </Button>
        </p>
      </Section>
      <Section title="Data">
        <p className="row">
          <Button small onClick={() => download(`${model.kind}-statechart.json`, jsonOf(machine))}>
            Download JSON
          </Button>
          <span className="faint">The statechart as the API returns it, to compare with another version.</span>
        </p>
      </Section>
      <Section title="XState">
        <p>
          Copy this, open{' '}
          <a href="https://stately.ai/editor" target="_blank" rel="noreferrer">
            Stately's editor
          </a>
          , choose Import from code, and paste it into <code>createMachine(…)</code>. The server runs on the same
          statechart.
        </p>
        <Json label="XState config" value={machine.xstate} />
      </Section>
      <Section title="Mermaid">
        <p>For Markdown that draws Mermaid, as GitHub's does.</p>
        <Code label="Mermaid diagram" text={machine.mermaid} />
      </Section>
    </div>
  )
}
