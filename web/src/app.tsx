import { useCallback, useEffect, useMemo, useState } from "preact/hooks";
import { isUnknown, watched, type Source } from "./api/source";
import type { Me } from "./api/types";
import { addressOf, usePlace } from "./router";
import { PageContext } from "./ui/context";
import { Failure } from "./ui/parts";
import { chooseTheme, useTheme } from "./ui/theme";
import { currentToken, keepToken } from "./ui/token";
import { CompareView } from "./views/compare";
import { NewStudyView } from "./views/new_study";
import { SignInView } from "./views/sign_in";
import { StudiesView } from "./views/studies";
import { StudyView } from "./views/study";

const READER: Me = { name: "", role: "read", roles: ["read"], studies: ["*"], version: "" };

export function App(props: { source: Source }) {
  const { source } = props;
  const [me, setMe] = useState<Me | null>(source.frozen ? READER : null);
  const [error, setError] = useState<Error | null>(null);
  const introduce = useCallback(() => {
    if (source.frozen) return;
    source.get<Me>("/v1/me").then(
      (found) => {
        setMe(found);
        setError(null);
      },
      (problem: Error) => {
        if (isUnknown(problem)) setMe(null); // other errors say nothing about the token
        setError(problem);
      },
    );
  }, [source]);
  useEffect(introduce, [introduce]);
  const shared = useMemo(() => watched(source, introduce), [source, introduce]);
  useEffect(() => {
    if (!error || isUnknown(error)) return;
    const timer = setTimeout(introduce, 2000); // the server may become available
    return () => clearTimeout(timer);
  }, [error, introduce]);

  return (
    <div class="page">
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault(); // the router uses the address
          document.getElementById("main")?.focus();
        }}
      >
        Skip to the content
      </a>
      <Header
        me={me}
        frozen={source.frozen}
        signOut={() => {
          keepToken(null);
          setMe(null);
          introduce();
        }}
      />
      <main id="main" tabIndex={-1}>
        {me ? (
          <PageContext.Provider value={{ source: shared, me }}>
            <View frozen={source.frozen} />
          </PageContext.Provider>
        ) : error && isUnknown(error) ? (
          <SignInView
            refused={error.problem.code !== "no_token" ? error.message : null}
            signIn={(token) => {
              keepToken(token);
              introduce();
            }}
          />
        ) : (
          error && <Failure error={error} />
        )}
      </main>
      <footer class="foot">
        {source.frozen ? "A report of canopy" : me?.version ? `canopy ${me.version}` : "canopy"}
      </footer>
    </div>
  );
}

function View(props: { frozen: boolean }) {
  const place = usePlace();
  const title = place.view === "study" ? place.name : place.view === "new" ? "new study" : place.view;
  useEffect(() => {
    if (!props.frozen) document.title = `${title} – canopy`;
  }, [title, props.frozen]);
  if (props.frozen) return <StudyView name={document.body.dataset.study ?? ""} />;
  switch (place.view) {
    case "studies":
      return <StudiesView query={place.query ?? ""} />;
    case "study":
      return <StudyView key={place.name} name={place.name} />;
    case "compare":
      return <CompareView names={place.names} />;
    case "new":
      return <NewStudyView key={place.forkOf} forkOf={place.forkOf} />;
  }
}

function Header(props: { me: Me | null; frozen: boolean; signOut: () => void }) {
  const place = usePlace();
  const theme = useTheme();
  const other = theme === "dark" ? "light" : "dark";
  const link = (view: "studies" | "compare", text: string) => (
    <a
      href={addressOf(view === "studies" ? { view } : { view, names: [] })}
      aria-current={place.view === view ? "page" : undefined}
    >
      {text}
    </a>
  );
  return (
    <header class="top">
      <a class="brand" href="#/">
        <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
          <rect width="32" height="32" rx="7" class="brand-ground" />
          <path class="brand-tree" d="M16 25V15M16 15 9 9M16 15l7-6M16 19h-5.5M9 9H6M9 9V6M23 9h3M23 9V6" />
        </svg>
        canopy
      </a>
      {!props.frozen && props.me && (
        <nav aria-label="Main">
          {link("studies", "Studies")}
          {link("compare", "Compare")}
          {props.me.role !== "read" && (
            <a href={addressOf({ view: "new" })} aria-current={place.view === "new" ? "page" : undefined}>
              New study
            </a>
          )}
        </nav>
      )}
      <div class="top-end">
        {props.me && !props.frozen && currentToken() !== null && (
          <span class="me">
            {props.me.name} <span class="role">{props.me.role}</span>
            <button class="quiet" onClick={props.signOut}>
              Sign out
            </button>
          </span>
        )}
        <button
          class="quiet icon"
          aria-label={`Change to ${other} colours`}
          title={`${other} colours`}
          onClick={() => chooseTheme(other)}
        >
          <svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true" class="line">
            {theme === "dark" ? (
              <path d="M12 4V2M12 22v-2M4 12H2M22 12h-2M6.3 6.3 4.9 4.9M19.1 19.1l-1.4-1.4M6.3 17.7l-1.4 1.4M19.1 4.9l-1.4 1.4M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8Z" />
            ) : (
              <path d="M20 14.5A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.5Z" />
            )}
          </svg>
        </button>
      </div>
    </header>
  );
}
