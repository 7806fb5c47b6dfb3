/** The first message of a run, in one line, above what else tells it from others. */
import type { ReactNode } from 'react'
import type { PresentedRun } from '../../../../runs/present.ts'
import { titleOf } from './table/columns.tsx'
import './run-title.css'

export const RunTitle = ({ run, children }: { run: PresentedRun; children: ReactNode }) => (
  <span className="run-title" title={titleOf(run)}>
    <span className="ellipsis">{titleOf(run)}</span>
    <span className="faint run-title-about">{children}</span>
  </span>
)
