/** An icon button of a chart. */
import { ChartIcon, type ChartIconName } from './chart-icon.tsx'

interface ToolProps {
  label: string
  icon: ChartIconName
  disabled?: boolean
  onClick: () => unknown
}

export const Tool = ({ label, icon, disabled = false, onClick }: ToolProps) => (
  <button
    type="button"
    className="chart-tool"
    aria-label={label}
    title={label}
    disabled={disabled}
    onClick={() => void onClick()}
  >
    <ChartIcon name={icon} />
  </button>
)
