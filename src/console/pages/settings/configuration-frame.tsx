/** Page frame with tabs of an Environment's configuration. */
import { at, type Place } from '../../places.ts'
import { Page, type PageProps } from '../../ui/page.tsx'
import { TabLinks } from '../../ui/tabs.tsx'
import { usePlace } from '../../use-place.ts'

const configurationTabs = (place: Place): { title: string; href: string }[] => [
  { title: 'Revisions', href: at(place, 'configuration') },
  { title: 'Variables', href: at(place, 'configuration', 'variables') },
  { title: 'Connections', href: at(place, 'configuration', 'connections') },
  { title: 'Models', href: at(place, 'configuration', 'models') },
]

export function ConfigurationFrame({ children, ...page }: PageProps) {
  const place = usePlace()
  return (
    <Page {...page}>
      <TabLinks label="Configuration" tabs={configurationTabs(place)} />
      {children}
    </Page>
  )
}

/** Note that changes take effect on deployment. */
export const CountsWhenDeployed = () => (
  <p className="faint">Changes take effect once a Configuration Revision with them is deployed and activated.</p>
)
