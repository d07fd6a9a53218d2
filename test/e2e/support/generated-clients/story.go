// The story of story.mts, by what oapi-codegen generates.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"

	"example.test/story/inventory"
)

const unknown = "0197a4b0-0000-7000-8000-000000000001"

type scope struct {
	PlatformId string `json:"platform_id"`
	AppId      int64  `json:"app_id"`
	ContextId  int32  `json:"context_id"`
}

var (
	ctx     = context.Background()
	project = os.Getenv("INVENTORY_PROJECT")
	wanted  scope
)

// must returns the value where there was no error.
func must[Value any](value Value, err error) Value {
	if err != nil {
		panic(err)
	}
	return value
}

func clientWith(secret string) *inventory.ClientWithResponses {
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("X-API-Key", secret)
		return nil
	}
	edited := inventory.WithRequestEditorFn(withKey)
	return must(inventory.NewClientWithResponses(os.Getenv("INVENTORY_URL"), edited))
}

// refreshWhileStreaming calls accept at the checkpoint, and returns the event of the refresh.
func refreshWhileStreaming(client *inventory.ClientWithResponses) (string, inventory.RefreshCompletedEvent) {
	response := must(client.StreamEvents(ctx, project, &inventory.StreamEventsParams{}))
	defer response.Body.Close()
	refreshId := ""
	fields := map[string]string{}
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		if name, value, _ := strings.Cut(lines.Text(), ": "); lines.Text() != "" {
			fields[name] = value
			continue
		}
		if fields["event"] != "" {
			switch frame := must(frameOf(fields).ValueByDiscriminator()).(type) {
			case inventory.StreamCheckpointFrame:
				refreshId = accept(client)
			case inventory.RefreshCompletedEventFrame:
				if frame.Data.Data.RefreshId == refreshId {
					return refreshId, frame.Data
				}
			}
		}
		fields = map[string]string{}
	}
	panic("the stream ended")
}

func frameOf(fields map[string]string) (frame inventory.StreamFrame) {
	text := must(json.Marshal(map[string]any{
		"event": fields["event"], "id": fields["id"], "data": json.RawMessage(fields["data"]),
	}))
	if err := json.Unmarshal(text, &frame); err != nil {
		panic(err)
	}
	return frame
}

func accept(client *inventory.ClientWithResponses) string {
	body := inventory.RequestRefreshJSONRequestBody{MaxCredits: 125}
	params := &inventory.RequestRefreshParams{}
	response := must(client.RequestRefreshWithResponse(
		ctx, wanted.PlatformId, wanted.AppId, wanted.ContextId, params, body,
	))
	if response.JSON202 == nil {
		panic(string(response.Body))
	}
	return response.JSON202.Data.RefreshId
}

func read(client *inventory.ClientWithResponses, params *inventory.ReadCurrentParams) *inventory.ReadCurrentResponse {
	page := must(client.ReadCurrentWithResponse(
		ctx, wanted.PlatformId, wanted.AppId, wanted.ContextId, params,
	))
	if page.JSON200 == nil {
		panic(string(page.Body))
	}
	return page
}

func idsOf(assets []inventory.Asset) (ids []string) {
	for _, asset := range assets {
		ids = append(ids, asset.Assetid)
	}
	return ids
}

func assetsOfCurrent(client *inventory.ClientWithResponses) (ids []string) {
	params := &inventory.ReadCurrentParams{}
	for {
		page := read(client, params).JSON200.Data
		ids = append(ids, idsOf(page.Assets)...)
		if page.Pagination.NextCursor == nil {
			return ids
		}
		params.Cursor = page.Pagination.NextCursor
	}
}

func main() {
	if err := json.Unmarshal([]byte(os.Getenv("INVENTORY_SCOPE")), &wanted); err != nil {
		panic(err)
	}
	client := clientWith(os.Getenv("INVENTORY_API_KEY"))
	refreshId, event := refreshWhileStreaming(client)
	events := must(client.ListEventsWithResponse(ctx, project, &inventory.ListEventsParams{}))
	listed := []bool{}
	for _, item := range events.JSON200.Data.Items {
		listed = append(listed, must(item.Event.AsRefreshCompletedEvent()).Id == event.Id)
	}
	wait := int32(30)
	record := must(client.ReadRefreshWithResponse(ctx, refreshId, &inventory.ReadRefreshParams{Wait: &wait}))
	assets := assetsOfCurrent(client)
	first := assets[:1]
	lookup := read(client, &inventory.ReadCurrentParams{Assetid: &first}).JSON200
	none := &inventory.ReadRefreshParams{}
	missing := must(client.ReadRefreshWithResponse(ctx, unknown, none))
	keyless := must(clientWith("inv_unknown").ReadRefreshWithResponse(ctx, unknown, none))

	_ = json.NewEncoder(os.Stdout).Encode(map[string]any{
		"outcome": record.JSON200.Data.Outcome,
		"charged": record.JSON200.Data.Billing.CreditsCharged,
		"assets":  assets,
		"found":   idsOf(lookup.Data.Assets),
		"spent":   lookup.Meta.CreditsCharged,
		"event":   event.Data.Outcome,
		"listed":  listed,
		"codes":   []any{missing.JSON404.Error.Code, must(keyless.JSON401.Error.Discriminator())},
	})
}
