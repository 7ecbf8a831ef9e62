import { useState } from "preact/hooks";

/** Asks for a token. */
export function SignInView(props: { refused: string | null; signIn: (token: string) => void }) {
  const [token, setToken] = useState("");
  return (
    <form
      class="card sign-in"
      onSubmit={(event) => {
        event.preventDefault();
        props.signIn(token.trim());
      }}
    >
      <h1>Sign in</h1>
      <p class="note">
        This server needs a token. Its administrator creates one with <code>canopy token new</code>. The token
        is kept in this tab until you close it.
      </p>
      <label>
        Token
        <input
          type="password"
          autocomplete="off"
          spellcheck={false}
          value={token}
          aria-invalid={props.refused !== null}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
      </label>
      {props.refused && (
        <p class="wrong" role="alert">
          {props.refused}
        </p>
      )}
      <button class="main" disabled={token.trim() === ""}>
        Sign in
      </button>
    </form>
  );
}
