/** Note that the content of a run was removed by retention. */
import { Icon } from '../../../ui/icon.tsx'
import { AbsoluteTime } from '../../../ui/time.tsx'

export const ContentRemoved = ({ at }: { at: string }) => (
  <div className="banner banner-info" role="status">
    <Icon name="clock" />
    <span>
      Content was removed on <AbsoluteTime at={at} />. The run, its steps and its journal are kept.
    </span>
  </div>
)
